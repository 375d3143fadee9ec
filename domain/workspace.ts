/** A workspace of an organization (contract decisions 2). */
export interface Workspace {
  id: string;
  orgId: string;
  name: string;
  slug: string;
  /** Increases with every change to the tools of the workspace's MCP servers. */
  surfaceVersion: number;
  createdAt: Date;
  updatedAt: Date;
}

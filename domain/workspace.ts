/** A workspace of an organization (contract decisions 2). */
export interface Workspace {
  id: string;
  orgId: string;
  name: string;
  slug: string;
  /** Increases when the tools of the workspace's MCP servers change. */
  surfaceVersion: number;
  createdAt: Date;
  updatedAt: Date;
}

/** A workspace of an organization (contract decisions 2). */
export interface Workspace {
  id: string;
  orgId: string;
  name: string;
  slug: string;
  /** Increases with every change to what the workspace's MCP servers offer. */
  surfaceVersion: number;
  createdAt: Date;
  updatedAt: Date;
}

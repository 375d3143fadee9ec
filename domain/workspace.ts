/** A workspace of an organization (contract decisions 2). */
export interface Workspace {
  id: string;
  orgId: string;
  name: string;
  slug: string;
  /** Increases with every change to what the MCP servers of the workspace offer. */
  surfaceVersion: number;
  createdAt: Date;
  updatedAt: Date;
}

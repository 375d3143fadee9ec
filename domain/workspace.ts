/** A workspace of an organization (contract decisions 2). */
export interface Workspace {
  id: string;
  orgId: string;
  name: string;
  slug: string;
  /** Raised by every change to its configuration or to the tools of its MCP servers. */
  surfaceVersion: number;
  createdAt: Date;
  updatedAt: Date;
}

/** A workspace of an organization (decisions section 2). */
export interface Workspace {
  id: string;
  orgId: string;
  name: string;
  slug: string;
  /** Raised by every change to what it has configured and to what its MCP servers offer. */
  surfaceVersion: number;
  createdAt: Date;
  updatedAt: Date;
}

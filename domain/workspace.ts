/** A workspace of an organization (decisions section 2). */
export interface Workspace {
  id: string;
  orgId: string;
  name: string;
  slug: string;
  createdAt: Date;
  updatedAt: Date;
}

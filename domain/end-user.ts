/** A person who uses the customer's product (specification 2.5). */
export interface EndUser {
  id: string;
  orgId: string;
  workspaceId: string;
  externalId: string;
  displayName: string | null;
  email: string | null;
  metadata: Record<string, unknown>;
  type: 'external';
  createdAt: Date;
  updatedAt: Date;
}

/** An end user with the number of its connections. */
export interface CountedEndUser extends EndUser {
  connectionCount: number;
}

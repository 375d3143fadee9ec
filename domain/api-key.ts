/** What an API key was granted, as it was sent (specification 2.1). */
export interface KeyPermissions {
  scope?: 'org' | 'workspace';
  workspaceIds?: string[];
  approvals?: { decide?: boolean };
}

/** The record of an API key; the key itself is kept nowhere. */
export interface ApiKey {
  id: string;
  orgId: string;
  name: string;
  keyPrefix: string;
  permissions: KeyPermissions;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  createdAt: Date;
}

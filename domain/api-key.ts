/** The permissions of an API key, as the request for the key stated them (specification 2.1). */
export interface KeyPermissions {
  scope?: 'org' | 'workspace';
  workspaceIds?: string[];
  approvals?: { decide?: boolean };
}

/** The record of an API key. The key itself is not stored. */
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

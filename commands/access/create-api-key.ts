import type { ApiKey, KeyPermissions } from '../../domain/api-key.ts';
import type { Db } from '../../infra/database.ts';
import { displayPrefix, type Tokens } from '../../infra/tokens.ts';
import { insertApiKey } from '../../store/api-keys.ts';

export interface CreateApiKey {
  orgId: string;
  name: string;
  permissions: KeyPermissions;
  expiresAt: Date | null;
  /** True (the default) if a key that may manage members may also manage owners. */
  managesOwners?: boolean;
}

/**
 * Creates an API key, whose plain key is stored nowhere. The caller must have checked that these
 * permissions may be granted.
 */
export async function createApiKey(host: { db: Db; tokens: Tokens }, request: CreateApiKey): Promise<{ apiKey: ApiKey; plainKey: string }> {
  const { permissions } = request;
  const plainKey = host.tokens.issue('svc_');
  const apiKey = await insertApiKey(host.db, {
    orgId: request.orgId,
    name: request.name,
    keyPrefix: displayPrefix(plainKey, 'svc_'),
    keyHash: host.tokens.hash(plainKey),
    permissions,
    scope: permissions.scope === 'workspace' ? 'workspace' : 'org',
    workspaceIds: permissions.workspaceIds ?? [],
    mayDecide: permissions.approvals?.decide ?? false,
    managesOwners: request.managesOwners ?? true,
    expiresAt: request.expiresAt,
  });
  return { apiKey, plainKey };
}

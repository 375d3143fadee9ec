import type { ApiKey } from '../domain/api-key.ts';
import type { Db } from '../infra/database.ts';
import { columns, toRow } from './columns.ts';

const COLUMNS = columns<ApiKey>('id', 'orgId', 'name', 'keyPrefix', 'permissions', 'expiresAt', 'lastUsedAt', 'createdAt');

export interface NewApiKey {
  orgId: string;
  name: string;
  keyPrefix: string;
  keyHash: Buffer;
  permissions: ApiKey['permissions'];
  scope: 'org' | 'workspace';
  workspaceIds: string[];
  mayDecide: boolean;
  managesOwners: boolean;
  expiresAt: Date | null;
}

export async function insertApiKey(db: Db, key: NewApiKey): Promise<ApiKey> {
  const [row] = await db('api_keys').insert(toRow(key)).returning(COLUMNS);
  return row;
}

/** Whether a key may manage owners of its organization. */
export async function managesOwners(db: Db, id: string): Promise<boolean> {
  const key = await db('api_keys').where({ id }).first('manages_owners as isAllowed');
  return key?.isAllowed ?? false;
}

export async function touchApiKey(db: Db, id: string): Promise<void> {
  await db('api_keys').where({ id }).update({ last_used_at: db.fn.now() });
}

/** Returns the API keys of an organization, oldest first. */
export async function listApiKeys(db: Db, orgId: string): Promise<ApiKey[]> {
  return db('api_keys')
    .select(COLUMNS)
    .where({ org_id: orgId })
    .orderBy([{ column: 'created_at' }, { column: 'id' }]);
}

export async function deleteApiKey(db: Db, orgId: string, id: string): Promise<boolean> {
  return (await db('api_keys').where({ org_id: orgId, id }).delete()) > 0;
}

export async function findApiKey(db: Db, orgId: string, id: string): Promise<ApiKey | undefined> {
  return db('api_keys').select(COLUMNS).where({ org_id: orgId, id }).first();
}

/**
 * Removes a deleted workspace from the scope of every key. Only org-wide keys can read its history
 * afterwards.
 */
export async function revokeWorkspaceFromKeys(db: Db, orgId: string, workspaceId: string): Promise<void> {
  await db('api_keys')
    .where({ org_id: orgId })
    .whereRaw('? = any(workspace_ids)', [workspaceId])
    .update({ workspace_ids: db.raw('array_remove(workspace_ids, ?)', [workspaceId]) });
}

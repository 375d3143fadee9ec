import type { Knex } from 'knex';
import type { Db } from '../infra/database.ts';
import { quotaValue, type StorageQuota, WITH_QUOTA } from './storage-quota.ts';

/** The owner of state: an end user, a workspace, or an external id in a workspace. */
export interface StateOwner {
  orgId: string;
  workspaceId: string;
  scope: 'end_user' | 'workspace' | 'external';
  scopeKey: string;
}

export interface KvEntry {
  value: unknown;
  updatedAt: Date;
}

export async function findKvEntry(db: Db, owner: StateOwner, key: string): Promise<KvEntry | undefined> {
  return entry(db, owner, key).first('value', 'updated_at as updatedAt');
}

/** The JSON text of a value, and the storage quota of the organization. */
export interface KvWrite {
  json: string;
  quota: StorageQuota;
}

/**
 * Inserts or replaces an entry. If the organization's storage would exceed the quota, throws
 * an error for which `isStorageFull` is true.
 */
export async function putKvEntry(db: Db, owner: StateOwner, key: string, { json, quota }: KvWrite): Promise<void> {
  await db.raw(`${INSERT} do update set value = excluded.value, updated_at = now()`, [quotaValue(quota), ...ownerValues(owner), key, json]);
}

export async function deleteKvEntry(db: Db, owner: StateOwner, key: string): Promise<boolean> {
  return (await entry(db, owner, key).delete()) > 0;
}

/**
 * Returns the value under a key, inserted if missing, and locks the entry until the transaction
 * ends.
 */
export async function lockOrInsertKvEntry(
  tx: Knex.Transaction,
  owner: StateOwner,
  key: string,
  { json, quota }: KvWrite,
): Promise<unknown> {
  const values = [quotaValue(quota), ...ownerValues(owner), key, json];
  const { rows } = await tx.raw(`${INSERT} do update set updated_at = now() returning value`, values);
  return rows[0].value;
}

/** Returns the entry under a key and locks it until the transaction ends. */
export async function lockKvEntry(tx: Knex.Transaction, owner: StateOwner, key: string): Promise<KvEntry | undefined> {
  return entry(tx, owner, key).forUpdate().first('value', 'updated_at as updatedAt');
}

export async function updateKvEntry(db: Db, owner: StateOwner, key: string, { json, quota }: KvWrite): Promise<void> {
  await db.raw(
    `${WITH_QUOTA} update kv_entries set value = ?::json, updated_at = now() from quota
     where org_id = ? and workspace_id = ? and scope = ? and scope_key = ? and key = ?`,
    [quotaValue(quota), json, ...ownerValues(owner), key],
  );
}

const INSERT = `${WITH_QUOTA} insert into kv_entries (org_id, workspace_id, scope, scope_key, key, value)
  select ?::uuid, ?::uuid, ?, ?, ?, ?::json from quota
  on conflict (org_id, workspace_id, scope, scope_key, key)`;

function entry(db: Db, owner: StateOwner, key: string) {
  return db('kv_entries').where({
    org_id: owner.orgId,
    workspace_id: owner.workspaceId,
    scope: owner.scope,
    scope_key: owner.scopeKey,
    key,
  });
}

function ownerValues({ orgId, workspaceId, scope, scopeKey }: StateOwner): string[] {
  return [orgId, workspaceId, scope, scopeKey];
}

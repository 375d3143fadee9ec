import type { Knex } from 'knex';
import type { Db } from '../infra/database.ts';

/** Whose state it is: a workspace, and inside it an end user, the workspace itself or an external id. */
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

/** Inserts or replaces. `json` is the text of the value. */
export async function putKvEntry(db: Db, owner: StateOwner, key: string, json: string): Promise<void> {
  await db.raw(`${INSERT} do update set value = excluded.value, updated_at = now()`, [...ownerValues(owner), key, json]);
}

export async function deleteKvEntry(db: Db, owner: StateOwner, key: string): Promise<boolean> {
  return (await entry(db, owner, key).delete()) > 0;
}

/** The value under a key, locked until the transaction ends; inserted as `json` where there is none. */
export async function lockOrInsertKvEntry(tx: Knex.Transaction, owner: StateOwner, key: string, json: string): Promise<unknown> {
  const { rows } = await tx.raw(`${INSERT} do update set updated_at = now() returning value`, [...ownerValues(owner), key, json]);
  return rows[0].value;
}

/** The entry under a key, locked until the transaction ends. */
export async function lockKvEntry(tx: Knex.Transaction, owner: StateOwner, key: string): Promise<KvEntry | undefined> {
  return entry(tx, owner, key).forUpdate().first('value', 'updated_at as updatedAt');
}

export async function updateKvEntry(db: Db, owner: StateOwner, key: string, json: string): Promise<void> {
  await entry(db, owner, key).update({ value: json, updated_at: db.fn.now() });
}

const INSERT = `insert into kv_entries (org_id, workspace_id, scope, scope_key, key, value) values (?, ?, ?, ?, ?, ?)
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

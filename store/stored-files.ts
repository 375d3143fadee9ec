import type { Db } from '../infra/database.ts';
import type { StateOwner } from './kv-entries.ts';
import { quotaValue, type StorageQuota, WITH_QUOTA } from './storage-quota.ts';

export interface FileInfo {
  path: string;
  contentType: string;
  sizeBytes: number;
  updatedAt: Date;
}

export interface StoredFile extends FileInfo {
  content: Buffer;
}

export async function findStoredFile(db: Db, owner: StateOwner, path: string): Promise<StoredFile | undefined> {
  return filesOf(db, owner)
    .where({ path })
    .first(...infoColumns(db), 'content');
}

export async function findStoredFileInfo(db: Db, owner: StateOwner, path: string): Promise<FileInfo | undefined> {
  return filesOf(db, owner)
    .where({ path })
    .first(...infoColumns(db));
}

/**
 * Inserts or replaces a file. If the organization's storage would exceed the quota, throws
 * an error for which `isStorageFull` is true.
 */
export async function putStoredFile(
  db: Db,
  { orgId, workspaceId, scope, scopeKey }: StateOwner,
  { path, contentType, content }: Pick<StoredFile, 'path' | 'contentType' | 'content'>,
  quota: StorageQuota,
): Promise<FileInfo> {
  const values = [quotaValue(quota), orgId, workspaceId, scope, scopeKey, path, contentType, content];
  const { rows } = await db.raw(PUT, values);
  return rows[0];
}

const PUT = `${WITH_QUOTA} insert into stored_files (org_id, workspace_id, scope, scope_key, path, content_type, content)
  select ?::uuid, ?::uuid, ?, ?, ?, ?, ?::bytea from quota
  on conflict (org_id, workspace_id, scope, scope_key, path)
    do update set content_type = excluded.content_type, content = excluded.content, updated_at = now()
  returning path, content_type as "contentType", octet_length(content) as "sizeBytes", updated_at as "updatedAt"`;

export async function deleteStoredFile(db: Db, owner: StateOwner, path: string): Promise<boolean> {
  return (await filesOf(db, owner).where({ path }).delete()) > 0;
}

/** Returns at most `limit` files whose path starts with the prefix, ordered by path. */
export async function listStoredFiles(db: Db, owner: StateOwner, prefix: string, limit: number): Promise<FileInfo[]> {
  const query = filesOf(db, owner)
    .select(...infoColumns(db))
    .orderBy('path')
    .limit(limit);
  return prefix === '' ? query : query.whereRaw('starts_with(path, ?)', [prefix]);
}

function infoColumns(db: Db) {
  return ['path', 'content_type as contentType', db.raw('octet_length(content) as "sizeBytes"'), 'updated_at as updatedAt'];
}

function filesOf(db: Db, { orgId, workspaceId, scope, scopeKey }: StateOwner) {
  return db('stored_files').where({ org_id: orgId, workspace_id: workspaceId, scope, scope_key: scopeKey });
}

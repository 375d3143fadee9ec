import type { Db } from '../infra/database.ts';
import type { StateOwner } from './kv-entries.ts';

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

/** Inserts or replaces. */
export async function putStoredFile(
  db: Db,
  owner: StateOwner,
  file: Pick<StoredFile, 'path' | 'contentType' | 'content'>,
): Promise<FileInfo> {
  const { orgId, workspaceId, scope, scopeKey } = owner;
  const { path, contentType, content } = file;
  const [row] = await db('stored_files')
    .insert({ org_id: orgId, workspace_id: workspaceId, scope, scope_key: scopeKey, path, content_type: contentType, content })
    .onConflict(['org_id', 'workspace_id', 'scope', 'scope_key', 'path'])
    .merge({ content_type: contentType, content, updated_at: db.fn.now() })
    .returning(infoColumns(db));
  return row;
}

export async function deleteStoredFile(db: Db, owner: StateOwner, path: string): Promise<boolean> {
  return (await filesOf(db, owner).where({ path }).delete()) > 0;
}

/** Files whose path starts with the prefix, by path. */
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

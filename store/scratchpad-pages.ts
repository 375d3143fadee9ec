import type { Db } from '../infra/database.ts';
import type { StateOwner } from './kv-entries.ts';
import { foldedSql, holdsWordsSql, ownerColumns } from './state-owner.ts';

export interface PageRow {
  name: string;
  sizeBytes: number;
  createdAt: Date;
  updatedAt: Date;
}

export async function findPage(db: Db, owner: StateOwner, name: string): Promise<(PageRow & { content: string }) | undefined> {
  return pagesOf(db, owner)
    .where({ name })
    .first(...columns(db), 'content');
}

export async function findPageInfo(db: Db, owner: StateOwner, name: string): Promise<PageRow | undefined> {
  return pagesOf(db, owner)
    .where({ name })
    .first(...columns(db));
}

/** Inserts or replaces a page. */
export async function putPage(db: Db, owner: StateOwner, name: string, content: string): Promise<PageRow> {
  return mergePage(db, owner, name, content, 'excluded.content');
}

/** Inserts a page, or appends to its current content. */
export async function appendToPage(db: Db, owner: StateOwner, name: string, content: string): Promise<PageRow> {
  return mergePage(db, owner, name, content, 'scratchpad_pages.content || excluded.content');
}

/**
 * Deletes one page, or all pages if `name` is undefined, and returns the number of deleted pages.
 */
export async function deletePages(db: Db, owner: StateOwner, name?: string): Promise<number> {
  return pagesOf(db, owner)
    .where(name === undefined ? {} : { name })
    .delete();
}

export async function listPages(db: Db, owner: StateOwner): Promise<PageRow[]> {
  return pagesOf(db, owner)
    .orderBy('name')
    .select(...columns(db));
}

export async function measurePages(db: Db, owner: StateOwner): Promise<{ count: number; sizeBytes: number }> {
  const row = await pagesOf(db, owner).first(db.raw('count(*) as count, coalesce(sum(octet_length(content)), 0) as "sizeBytes"'));
  return { count: Number(row.count), sizeBytes: Number(row.sizeBytes) };
}

export interface FoundPage extends PageRow {
  /** The text around the first match of the first word, or else the start of the page. */
  excerpt: string;
}

/**
 * Returns at most `limit` pages, last changed first. The name and content of a page together must
 * contain every word.
 */
export async function searchPages(
  db: Db,
  owner: StateOwner,
  { words, limit, excerptLength }: { words: readonly string[]; limit: number; excerptLength: number },
): Promise<FoundPage[]> {
  const { rows } = await db.raw(
    `select name, octet_length(content) as "sizeBytes", created_at as "createdAt", updated_at as "updatedAt",
            substr(content, greatest(1, strpos(folded_content, ${foldedSql('?::text')}) - ?), ?) as excerpt
       from scratchpad_pages
       cross join lateral (select ${foldedSql('content')} as folded_content offset 0) as text
      where org_id = ? and workspace_id = ? and scope = ? and scope_key = ?
        and ${holdsWordsSql(`(${foldedSql('name')} || E'\\n' || folded_content)`, words)}
      order by updated_at desc, name limit ?`,
    [words[0] ?? '', Math.floor(excerptLength / 3), excerptLength, ...Object.values(ownerColumns(owner)), ...words, limit],
  );
  return rows;
}

async function mergePage(db: Db, owner: StateOwner, name: string, content: string, mergedSql: string): Promise<PageRow> {
  const [row] = await db('scratchpad_pages')
    .insert({ ...ownerColumns(owner), name, content })
    .onConflict(['org_id', 'workspace_id', 'scope', 'scope_key', 'name'])
    .merge({ content: db.raw(mergedSql), updated_at: db.fn.now() })
    .returning(columns(db));
  return row;
}

function columns(db: Db) {
  return ['name', db.raw('octet_length(scratchpad_pages.content) as "sizeBytes"'), 'created_at as createdAt', 'updated_at as updatedAt'];
}

function pagesOf(db: Db, owner: StateOwner) {
  return db('scratchpad_pages').where(ownerColumns(owner));
}

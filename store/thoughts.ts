import type { Db } from '../infra/database.ts';
import type { StateOwner } from './kv-entries.ts';
import { ownerColumns } from './state-owner.ts';

/** One revision of a thought; the first revision is 0. */
export interface ThoughtRow {
  number: number;
  revision: number;
  /** Name of the branch; null for the main line. */
  branch: string | null;
  /** Number of the thought that this thought continues; null at the start of a chain. */
  follows: number | null;
  content: string;
  createdAt: Date;
}

/** Returns all revisions of all thoughts of a chain, ordered by number and revision. */
export async function listThoughts(db: Db, owner: StateOwner, chainId: string): Promise<ThoughtRow[]> {
  return thoughtsOf(db, owner, chainId)
    .orderBy(['number', 'revision'])
    .select('number', 'revision', 'branch', 'follows', 'content', 'created_at as createdAt');
}

export async function insertThought(db: Db, owner: StateOwner, chainId: string, thought: Omit<ThoughtRow, 'createdAt'>): Promise<void> {
  await db('thoughts').insert({ ...ownerColumns(owner), chain_id: chainId, ...thought });
}

/** Returns the number of thoughts of a chain, and the bytes of the texts of all revisions. */
export async function measureChain(db: Db, owner: StateOwner, chainId: string): Promise<{ count: number; sizeBytes: number }> {
  const row = await thoughtsOf(db, owner, chainId).first(
    db.raw('coalesce(max(number), 0) as count, coalesce(sum(octet_length(content)), 0) as "sizeBytes"'),
  );
  return { count: Number(row.count), sizeBytes: Number(row.sizeBytes) };
}

/** Returns the newest revision of a thought. */
export async function findThought(db: Db, owner: StateOwner, chainId: string, number: number): Promise<ThoughtRow | undefined> {
  return thoughtsOf(db, owner, chainId)
    .where({ number })
    .orderBy('revision', 'desc')
    .first('number', 'revision', 'branch', 'follows', 'content', 'created_at as createdAt');
}

/**
 * Returns the numbers of the first and the last thought of a branch, and of the thought that the
 * branch starts from. `branch` is null for the main line. Undefined if the branch has no thoughts.
 */
export async function findLineEnds(
  db: Db,
  owner: StateOwner,
  chainId: string,
  branch: string | null,
): Promise<{ first: number; last: number; startsFrom: number | null } | undefined> {
  const row = await thoughtsOf(db, owner, chainId)
    .where({ branch })
    .first(db.raw('min(number) as first, max(number) as last, min(follows) as "startsFrom"'));
  return row.first === null ? undefined : row;
}

function thoughtsOf(db: Db, owner: StateOwner, chainId: string) {
  return db('thoughts').where({ ...ownerColumns(owner), chain_id: chainId });
}

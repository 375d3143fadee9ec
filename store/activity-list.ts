import type { Knex } from 'knex';
import type { Activity, Seal } from '../domain/activity.ts';
import type { Db } from '../infra/database.ts';
import { ACTIVITY_SQL, CREATED_AT } from './activity-chain.ts';
import { toRow } from './columns.ts';

export interface ActivityFilter {
  orgId: string;
  /** Undefined: all rows, including rows that belong to no workspace. */
  workspaceIds?: readonly string[] | undefined;
  type?: string | undefined;
  approvalId?: string | undefined;
  policyId?: string | undefined;
  codeRunId?: string | undefined;
  /** ISO 8601, inclusive. */
  from?: string | undefined;
  /** ISO 8601, exclusive. */
  to?: string | undefined;
}

/** The last row of a page. New rows do not shift the next page. */
export interface ActivityCursor {
  createdAt: string;
  id: number;
}

/** A row with its position and hash, both null until the row is sealed. */
export type ListedActivity = Activity & { [Field in keyof Seal]: Seal[Field] | null };

/** `after`: the page begins after this row. */
export interface ActivityPage {
  limit: number;
  after?: ActivityCursor | undefined;
}

/** Returns a page of rows, newest first. `next` is null on the last page. */
export async function listActivity(
  db: Db,
  filter: ActivityFilter,
  { limit, after }: ActivityPage,
): Promise<{ items: ListedActivity[]; next: ActivityCursor | null }> {
  const rows = await sealed(db, newestRows(db, filter, { limit: limit + 1, after }), limit + 1);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last ? { createdAt: last.createdAt, id: last.id } : null };
}

/** Conditions that no index supports. */
export interface ActivitySearch {
  /** A text in one of the columns of `TEXTS`, ignoring case. */
  text?: string | undefined;
  /** Actors by id, by type, or by a part of the id. */
  actors?: { ids: readonly string[]; types: readonly string[]; text: string } | undefined;
}

const MAX_SEARCHED = 20_000;

/**
 * Returns a page of matching rows, newest first. Reads at most `MAX_SEARCHED` rows, so a page can
 * be short although `next` leads to more. The filter must name at most one workspace.
 */
export async function listMatchingActivity(
  db: Db,
  filter: ActivityFilter,
  search: ActivitySearch,
  { limit, after }: ActivityPage,
): Promise<{ items: ListedActivity[]; next: ActivityCursor | null }> {
  const looked = newestRows(db, filter, { limit: MAX_SEARCHED, after });
  const matching = db
    .from(looked)
    .select('a.*')
    .limit(limit + 1);
  if (search.text !== undefined) matching.whereRaw(`strpos(lower(${TEXTS}), lower(?)) > 0`, [search.text]);
  if (search.actors) {
    const { ids, types, text } = search.actors;
    matching.whereRaw('(a.actor_id = any(?) or a.actor_type = any(?) or strpos(lower(a.actor_id), lower(?)) > 0)', [
      [...ids],
      [...types],
      text,
    ]);
  }
  const rows = await sealed(db, db.raw('? as a', [matching]), limit + 1);
  const items = rows.slice(0, limit);
  if (rows.length > limit) return { items, next: { createdAt: items.at(-1)!.createdAt, id: items.at(-1)!.id } };
  return { items, next: await findEnd(db, looked) };
}

const TEXTS = `concat_ws(' ', a.type, a.actor_id, a.approval_id, a.policy_id, a.call_id, a.code_run_id, a.delivery_id, a.integration_name,
  a.action_name, a.details::text)`;

/** Returns the last row that was read: the search continues after it. Null at the end. */
async function findEnd(db: Db, looked: Knex.Raw): Promise<ActivityCursor | null> {
  const [last] = await db
    .from(looked)
    .select(db.raw(`a.id, ${CREATED_AT}`))
    .offset(MAX_SEARCHED - 1)
    .limit(1);
  return last ?? null;
}

function newestRows(db: Db, { workspaceIds, from, to, ...equal }: ActivityFilter, { limit, after }: ActivityPage): Knex.Raw {
  const found = db('activity').where(toRow(equal)).orderBy(newestFirst()).limit(limit);
  if (from !== undefined) found.andWhere('created_at', '>=', from);
  if (to !== undefined) found.andWhere('created_at', '<', to);
  if (after) found.andWhereRaw('(created_at, id) < (?::timestamptz, ?)', [after.createdAt, after.id]);
  if (!workspaceIds) return db.raw('? as a', [found]);
  return db.raw('unnest(?::uuid[]) as scope (id) cross join lateral ? as a', [
    [...workspaceIds],
    found.andWhereRaw('workspace_id = scope.id'),
  ]);
}

async function sealed(db: Db, rows: Knex.Raw, limit: number): Promise<ListedActivity[]> {
  return db
    .from(rows)
    .leftJoin('activity_seals as s', 's.activity_id', 'a.id')
    .select(db.raw(`${ACTIVITY_SQL}, s.position, s.hash`))
    .orderBy(newestFirst('a.'))
    .limit(limit);
}

function newestFirst(prefix = ''): { column: string; order: 'desc' }[] {
  return [
    { column: `${prefix}created_at`, order: 'desc' },
    { column: `${prefix}id`, order: 'desc' },
  ];
}

import type { Activity, Seal } from '../domain/activity.ts';
import type { Db } from '../infra/database.ts';
import { ACTIVITY_SQL } from './activity-chain.ts';
import { toRow } from './columns.ts';

export interface ActivityFilter {
  orgId: string;
  /**
   * Only rows of these workspaces. Undefined: all rows, including those of the whole organization.
   */
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

/** The end of a page. Rows added later do not shift it. */
export interface ActivityCursor {
  createdAt: string;
  id: number;
}

/** A row with its position in the chain; null until it is sealed. */
export type ListedActivity = Activity & { [Field in keyof Seal]: Seal[Field] | null };

/**
 * Newest first, after the cursor. Reads one page of rows, with several workspaces one page of each.
 */
export async function listActivity(
  db: Db,
  { workspaceIds, from, to, ...equal }: ActivityFilter,
  { limit, after }: { limit: number; after?: ActivityCursor | undefined },
): Promise<{ items: ListedActivity[]; next: ActivityCursor | null }> {
  const found = db('activity')
    .where(toRow(equal))
    .orderBy(newestFirst())
    .limit(limit + 1);
  if (from !== undefined) found.andWhere('created_at', '>=', from);
  if (to !== undefined) found.andWhere('created_at', '<', to);
  if (after) found.andWhereRaw('(created_at, id) < (?::timestamptz, ?)', [after.createdAt, after.id]);
  const page = workspaceIds
    ? db.raw('unnest(?::uuid[]) as scope (id) cross join lateral ? as a', [[...workspaceIds], found.andWhereRaw('workspace_id = scope.id')])
    : db.raw('? as a', [found]);
  const rows: ListedActivity[] = await db
    .from(page)
    .leftJoin('activity_seals as s', 's.activity_id', 'a.id')
    .select(db.raw(`${ACTIVITY_SQL}, s.position, s.hash`))
    .orderBy(newestFirst('a.'))
    .limit(limit + 1);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last ? { createdAt: last.createdAt, id: last.id } : null };
}

function newestFirst(prefix = ''): { column: string; order: 'desc' }[] {
  return [
    { column: `${prefix}created_at`, order: 'desc' },
    { column: `${prefix}id`, order: 'desc' },
  ];
}

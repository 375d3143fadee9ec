import type { Approval } from '../domain/approval.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { approvalCount } from './approval-counts.ts';
import { APPROVAL_FIELDS } from './approvals.ts';
import { columnsSql } from './columns.ts';

export interface ApprovalFilter {
  orgId: string;
  workspaceIds?: readonly string[];
  status?: string | undefined;
  source?: string | undefined;
  integrationName?: string | undefined;
  actionName?: string | undefined;
}

/** The last approval of a page. New approvals do not shift the next page. */
export interface ApprovalCursor {
  createdAt: string;
  id: string;
}

const CONDITIONS = {
  orgId: 'org_id = ?::uuid',
  workspaceId: 'workspace_id = ?::uuid',
  workspaceIds: 'workspace_id = any(?::uuid[])',
  status: 'status = ?',
  source: 'source = ?',
  integrationName: 'integration_name = ?',
  actionName: 'action_name = ?',
} as const satisfies Record<keyof ApprovalFilter | 'workspaceId', string>;

const NAMES = Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[];
const COLUMNS = columnsSql<Approval>('approvals', ...APPROVAL_FIELDS);
const CURSOR_AT = `to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "cursorAt"`;

/**
 * Returns a page of approvals, newest first. `total` is exact, or 0 if `isCounted` is false. `next`
 * is null on the last page.
 */
export async function listApprovals(
  db: Db,
  asked: ApprovalFilter,
  { limit, after, isCounted = true }: { limit: number; after?: ApprovalCursor | undefined; isCounted?: boolean },
): Promise<{ items: Approval[]; total: number; next: ApprovalCursor | null }> {
  const filter = withOneWorkspace(asked);
  const given = NAMES.filter((name) => filter[name] !== undefined);
  const matching = given.map((name, index) => CONDITIONS[name].replace('?', `$${index + 1}`)).join(' and ');
  const values: unknown[] = given.map((name) => filter[name]);
  const [first, second, third] = [1, 2, 3].map((offset) => `$${given.length + offset}`);
  // Each set of filters has its own prepared statement, so that Postgres can use its index.
  const kind = given.map((name) => NAMES.indexOf(name)).join('');
  const count = approvalCount(matching);
  const page = {
    name: `approvals-by-${kind}${after ? '-after' : ''}${isCounted ? '' : '-uncounted'}`,
    text: `select ${COLUMNS}, ${CURSOR_AT}, ${isCounted ? `(${count})` : '0'} as total from approvals where ${matching}
           ${after ? `and (created_at, id) < (${second}::timestamptz, ${third})` : ''} order by created_at desc, id desc limit ${first}`,
  };
  const rows = await runPrepared<Approval & Listed>(db, page, [...values, limit + 1, ...(after ? [after.createdAt, after.id] : [])]);
  // An empty later page has no row that carries the total.
  const [counted] =
    rows.length === 0 && after && isCounted ? await runPrepared<Listed>(db, { name: `count-${page.name}`, text: count }, values) : rows;
  const last = rows[limit - 1];
  return {
    items: rows.slice(0, limit).map(({ cursorAt: _, total: __, ...approval }) => approval),
    total: counted?.total ?? 0,
    next: rows.length > limit && last ? { createdAt: last.cursorAt, id: last.id } : null,
  };
}

/** Compares one workspace with `=`: SQL `any` cannot use the index that has the page's order. */
function withOneWorkspace(filter: ApprovalFilter): ApprovalFilter & { workspaceId?: string } {
  if (filter.workspaceIds?.length !== 1) return filter;
  const { workspaceIds, ...rest } = filter;
  return { ...rest, workspaceId: workspaceIds[0]! };
}

interface Listed {
  cursorAt: string;
  total: number;
}

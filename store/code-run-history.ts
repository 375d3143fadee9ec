import type { Knex } from 'knex';
import type { CallOutcome, CallStatus } from '../domain/call.ts';
import type { CodeRun, CodeRunResult } from '../domain/code-run.ts';
import type { Db } from '../infra/database.ts';
import { columns } from './columns.ts';
import { decodePayload, encodePayload } from './payload.ts';

/** The fields of a run in lists. */
export type ListedCodeRun = Pick<CodeRun, (typeof LISTED)[number]>;

const LISTED = [
  ...(['id', 'orgId', 'workspaceId', 'mcpServerId', 'endUserId', 'requestedByType', 'requestedById', 'status', 'codeHash'] as const),
  ...(['passNumber', 'runningMs', 'createdAt', 'finishedAt'] as const),
] as const;

export interface CodeRunFilter {
  orgId: string;
  workspaceIds?: readonly string[];
  mcpServerId?: string | undefined;
  status?: string | undefined;
  /** External id of the end user. */
  endUserId?: string | undefined;
  createdFrom?: string | undefined;
  createdBefore?: string | undefined;
}

/** The last run of a page, after which the next page begins. */
export interface CodeRunCursor {
  createdAt: string;
  id: string;
}

/** Returns a page of runs, newest first, after the cursor. `next` is null on the last page. */
export async function listCodeRuns(
  db: Db,
  filter: CodeRunFilter,
  page: { limit: number; after?: CodeRunCursor | undefined },
): Promise<{ items: ListedCodeRun[]; next: CodeRunCursor | null }> {
  const query = matchingRuns(db, filter)
    .select(columns<ListedCodeRun>(...LISTED))
    .select(db.raw(`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "cursorAt"`));
  if (page.after) query.andWhereRaw('(created_at, id) < (?::timestamptz, ?)', [page.after.createdAt, page.after.id]);
  const newestFirst = ['created_at', 'id'].map((column) => ({ column, order: 'desc' }));
  const rows = await query.orderBy(newestFirst).limit(page.limit + 1);
  const items = rows.slice(0, page.limit);
  const last = items.at(-1);
  return {
    items: items.map(({ cursorAt: _, ...run }: ListedCodeRun & { cursorAt: string }) => run),
    next: rows.length > page.limit && last ? { createdAt: last.cursorAt, id: last.id } : null,
  };
}

/** Returns the exact number of runs that match. */
export async function countCodeRuns(db: Db, filter: CodeRunFilter): Promise<number> {
  const counted = await matchingRuns(db, filter).count({ total: '*' }).first();
  return Number(counted?.total ?? 0);
}

/**
 * Names of the records that a run belongs to. A name is null if there is no such record, or if the
 * record has no name.
 */
export interface CodeRunNames {
  id: string;
  workspaceName: string | null;
  serverName: string | null;
  /** The name of the API key or the member that started the run. */
  starterName: string | null;
  endUserName: string | null;
  calls: number;
}

const STARTER_NAME = `(case r.requested_by_type
  when 'api_key' then (select name from api_keys k where k.org_id = r.org_id and k.id::text = r.requested_by_id)
  when 'user' then (select coalesce(m.display_name, one.display_name, one.email) from users one
    left join memberships m on m.user_id = one.id and m.org_id = r.org_id where one.id::text = r.requested_by_id)
  end)`;

/** Returns the names for the runs with these ids. */
export async function listCodeRunNames(db: Db, ids: readonly string[]): Promise<CodeRunNames[]> {
  return db('code_runs as r')
    .leftJoin('workspaces as w', { 'w.org_id': 'r.org_id', 'w.id': 'r.workspace_id' })
    .leftJoin('mcp_servers as s', { 's.org_id': 'r.org_id', 's.id': 'r.mcp_server_id' })
    .leftJoin('end_users as u', { 'u.workspace_id': 'r.workspace_id', 'u.external_id': 'r.end_user_id' })
    .whereIn('r.id', [...ids])
    .select({ id: 'r.id', workspaceName: 'w.name', serverName: 's.name', endUserName: 'u.display_name' })
    .select(db.raw(`${STARTER_NAME} as "starterName"`))
    .select(db.raw('(select count(*)::int from calls where calls.code_run_id = r.id) as calls'));
}

function matchingRuns(db: Db, { orgId, workspaceIds, createdFrom, createdBefore, ...exact }: CodeRunFilter): Knex.QueryBuilder {
  const query = db('code_runs').where({ org_id: orgId });
  if (workspaceIds) query.whereIn('workspace_id', [...workspaceIds]);
  for (const [column, value] of [
    ['mcp_server_id', exact.mcpServerId],
    ['status', exact.status],
    ['end_user_id', exact.endUserId],
  ] as const) {
    if (value !== undefined) query.where(column, value);
  }
  if (createdFrom !== undefined) query.where('created_at', '>=', createdFrom);
  if (createdBefore !== undefined) query.where('created_at', '<', createdBefore);
  return query;
}

/** A call in the history of a run. */
export interface CallOfHistory {
  /** The number of the call among all calls and timers of the code, from 0. */
  callNumber: number;
  status: CallStatus;
  integrationAlias: string | null;
  integrationName: string;
  actionName: string;
  approvalId: string | null;
  idempotent: boolean | null;
  codeLine: number | null;
  codeColumn: number | null;
  startedAt: Date;
  finishedAt: Date | null;
  startedMs: number | null;
  /** The part of the input that may be shown. */
  inputPreview: Record<string, unknown> | null;
  /** Decodes the outcome. Null if there is none; undefined if too much would be read. */
  outcome: (() => CallOutcome) | null | undefined;
}

/** Maximum number of bytes of one stored outcome, and of all outcomes that are read together. */
const OUTCOME_MAX_BYTES = 256 * 1024;
const OUTCOMES_MAX_BYTES = 2 * 1024 * 1024;

type Row = Omit<CallOfHistory, 'inputPreview' | 'outcome'> & { inputPreview: Buffer | null; outcome: Buffer | null; hasOutcome: boolean };

/** Returns the calls of a run, ordered by `callNumber`. */
export async function listCallsOfRun(db: Db, codeRunId: string): Promise<CallOfHistory[]> {
  const small = 'case when octet_length(outcome) <= :one then octet_length(outcome) else 0 end';
  const outcome = `case when octet_length(outcome) <= :one and sum(${small}) over (order by call_number) <= :all then outcome end as outcome`;
  const rows: Row[] = await db('calls')
    .select(columns<Row>('callNumber', 'status', 'integrationAlias', 'integrationName', 'actionName', 'approvalId', 'idempotent'))
    .select(columns<Row>('codeLine', 'codeColumn', 'startedAt', 'finishedAt', 'startedMs', 'inputPreview'))
    .select(db.raw(outcome, { one: OUTCOME_MAX_BYTES, all: OUTCOMES_MAX_BYTES }), db.raw('outcome is not null as "hasOutcome"'))
    .where({ code_run_id: codeRunId })
    .orderBy('call_number');
  return rows.map(({ inputPreview, outcome, hasOutcome, ...call }) => ({
    ...call,
    inputPreview: inputPreview && decodePayload<Record<string, unknown>>(inputPreview),
    outcome: outcome ? () => decodePayload<CallOutcome>(outcome) : hasOutcome ? undefined : null,
  }));
}

/**
 * Deletes the output, logs, timers and successful outcomes of runs that ended more than
 * `retentionHours` ago. Returns the number of runs, at most `limit`. Several processes can call
 * this at the same time.
 */
export async function deleteOldResults(db: Db, retentionHours: number, limit: number): Promise<number> {
  return db.transaction(async (tx) => {
    const runs: { id: string; result: Buffer | null }[] = await tx('code_runs')
      .select('id', 'result')
      .whereNotNull('finished_at')
      .whereNull('result_deleted_at')
      .andWhereRaw("finished_at < now() - ? * interval '1 hour'", [retentionHours])
      .orderBy('finished_at')
      .limit(limit)
      .forUpdate()
      .skipLocked();
    const ids = runs.map(({ id }) => id);
    if (ids.length === 0) return 0;
    await tx('calls').whereIn('code_run_id', ids).where({ status: 'succeeded' }).whereNotNull('outcome').update({ outcome: null });
    await tx('code_run_timers').whereIn('code_run_id', ids).delete();
    for (const { id, result } of runs)
      await tx('code_runs')
        .where({ id })
        .update({ result: result && encodePayload(withoutOutput(decodePayload(result))), last_pass: null, result_deleted_at: tx.fn.now() });
    return ids.length;
  });
}

function withoutOutput({ error, timings }: CodeRunResult): CodeRunResult {
  return { output: null, error, logs: [], timings };
}

import type { ActiveRun, CodeRun, CodeRunResult, CodeRunStatus, PassRecord } from '../domain/code-run.ts';
import type { Db } from '../infra/database.ts';
import { columns } from './columns.ts';
import { decodePayload } from './payload.ts';

const COLUMNS = columns<CodeRun>(
  'id',
  'orgId',
  'workspaceId',
  'mcpServerId',
  'endUserId',
  'requestedByType',
  'requestedById',
  'status',
  'code',
  'codeHash',
  'toolSurfaceHash',
  'passNumber',
  'runningMs',
  'result',
  'createdAt',
  'clockStartedAt',
  'finishedAt',
  'resultDeletedAt',
  'lastPass',
  'replayVersion',
);

type Row = Omit<CodeRun, 'code' | 'result' | 'lastPass'> & { code: Buffer; result: Buffer | null; lastPass: Buffer | null };

const AWAITED = 'coalesce(awaited_until > now(), false)';

/**
 * SQL condition: an eager pass holds a lease. An eager pass executes the code before the workflow
 * task of the run arrives.
 */
export const LEASED = "(status = 'running' and coalesce(leased_until > now(), false))";

/** Finds a run of any organization. */
export async function findCodeRun(db: Db, id: string): Promise<CodeRun | undefined> {
  const row: Row | undefined = await wholeRuns(db).where({ id }).first().options({ name: 'code-run' });
  return row && toCodeRun(row);
}

/** A run whose caller waits, and the number of the last pass that the caller knows. */
export interface WaitedRun {
  id: string;
  passBefore: number;
}

/**
 * Returns those of the waited runs that have ended, or that wait for a decision after a later pass
 * than `passBefore`.
 */
export async function listChangedRuns(db: Db, waited: readonly WaitedRun[]): Promise<CodeRun[]> {
  const asked = db.raw('unnest(?::text[], ?::int[]) as asked (id, pass_before)', [
    waited.map(({ id }) => id),
    waited.map(({ passBefore }) => passBefore),
  ]);
  const rows: Row[] = await wholeRuns(db)
    .join(asked as never, 'asked.id', 'code_runs.id')
    .whereRaw("(finished_at is not null or (status = 'waiting' and pass_number > asked.pass_before))")
    .options({ name: 'changed-runs' });
  return rows.map(toCodeRun);
}

function wholeRuns(db: Db) {
  return db('code_runs')
    .select(COLUMNS.map((column) => `code_runs.${column}`))
    .select(db.raw(`${AWAITED} as "isAwaited", ${LEASED} as "isLeased"`))
    .select(db.raw('extract(epoch from now() - finished_at)::float as "finishedSecondsAgo"'));
}

function toCodeRun(row: Row): CodeRun {
  const lastPass = row.lastPass && decodePayload<PassRecord>(row.lastPass);
  return { ...row, code: decodePayload(row.code), lastPass, result: row.result && resultOf(row, decodePayload(row.result), lastPass) };
}

function resultOf({ status, runningMs }: Row, result: CodeRunResult, lastPass: PassRecord | null): CodeRunResult {
  if (status !== 'canceled') return result;
  const { logs, sandboxMs } = lastPass ?? { logs: result.logs, sandboxMs: result.timings.sandboxMs };
  return { ...result, logs, timings: { totalExecuteMs: runningMs, sandboxMs } };
}

/** The fields of a run on which its next transition depends. */
export interface RunToAdvance<Plan> {
  status: CodeRunStatus;
  isAwaited: boolean;
  isLeased: boolean;
  run: ActiveRun;
  plan: Plan | undefined;
  /** The parsed program that was stored with the plan. */
  program: Buffer | null;
}

const ACTIVE_COLUMNS = columns<ActiveRun>(
  ...(['id', 'orgId', 'workspaceId', 'mcpServerId', 'endUserId', 'requestedByType', 'requestedById', 'status', 'codeHash'] as const),
  ...(['toolSurfaceHash', 'passNumber', 'runningMs', 'createdAt', 'clockStartedAt', 'lastPass', 'replayVersion'] as const),
);

type ActiveRow = Omit<ActiveRun, 'code' | 'lastPass'> &
  Record<'isAwaited' | 'isLeased', boolean> &
  Record<'code' | 'lastPass' | 'plan' | 'program', Buffer | null>;

/**
 * Reads a run for its next transition. Code, plan and program of an ended or leased run are empty.
 */
export async function findRunToAdvance<Plan>(db: Db, id: string): Promise<RunToAdvance<Plan> | undefined> {
  const large = ['code', 'plan', 'program'].map(
    (column) => `case when finished_at is null and not ${LEASED} then ${column} end as ${column}`,
  );
  const row: ActiveRow | undefined = await db('code_runs')
    .select(ACTIVE_COLUMNS)
    .select(db.raw(`${AWAITED} as "isAwaited", ${LEASED} as "isLeased", ${large.join(', ')}`))
    .where({ id })
    .first()
    .options({ name: 'run-to-advance' });
  if (!row) return undefined;
  const { isAwaited, isLeased, code, lastPass, plan, program, ...run } = row;
  return {
    ...{ status: run.status, isAwaited, isLeased, program },
    run: { ...run, code: code ? decodePayload(code) : '', lastPass: lastPass && decodePayload(lastPass) },
    plan: plan ? decodePayload<Plan>(plan) : undefined,
  };
}

/** Finds the status and the lease state (`LEASED`) of a run. */
export async function findRunStatus(db: Db, id: string): Promise<{ status: CodeRunStatus; isLeased: boolean } | undefined> {
  return db('code_runs')
    .select('status')
    .select(db.raw(`${LEASED} as "isLeased"`))
    .where({ id })
    .first()
    .options({ name: 'run-status' });
}

/** The fields on which the recovery of a run depends. */
export interface RunToRecover {
  orgId: string;
  workspaceId: string;
  status: CodeRunStatus;
  /** Seconds since the run was recorded, by the database clock. */
  ageSeconds: number;
  /** True if the run has a plan or no longer has the status `running`. */
  hasBegun: boolean;
  /** True if the workflow of the run has to be started. */
  isDue: boolean;
  serverName: string | null;
}

export async function findRunToRecover(db: Db, id: string): Promise<RunToRecover | undefined> {
  return db('code_runs')
    .leftJoin('mcp_servers', 'mcp_servers.id', 'code_runs.mcp_server_id')
    .select({
      orgId: 'code_runs.org_id',
      workspaceId: 'code_runs.workspace_id',
      status: 'code_runs.status',
      ageSeconds: db.raw('extract(epoch from now() - code_runs.created_at)::float'),
      hasBegun: db.raw("(code_runs.tool_surface_hash is not null or code_runs.status <> 'running')"),
      serverName: 'mcp_servers.name',
      isDue: db.raw('code_runs.workflow_due_at is not null'),
    })
    .where('code_runs.id', id)
    .first();
}

/** The mark of `awaitCodeRun` ends this long before its caller stops waiting. */
const SOONER_SECONDS = 0.05;

/** Marks a run as awaited by a caller who waits for `seconds`. */
export async function awaitCodeRun(db: Db, id: string, seconds: number): Promise<void> {
  const until = db.raw("greatest(awaited_until, now() + ? * interval '1 second')", [seconds - SOONER_SECONDS]);
  await db('code_runs').where({ id }).update({ awaited_until: until });
}

/** Returns the number of runs of an organization that run or are queued. */
export async function countRunningCodeRuns(db: Db, orgId: string): Promise<number> {
  const running = db('code_runs').where({ org_id: orgId, status: 'running' });
  const counted = await running.count({ total: '*' }).first();
  return Number(counted?.total ?? 0);
}

/**
 * Returns the id of the newest pending approval of another waiting run of the same code, caller,
 * end user and MCP server.
 */
export async function findTwinApprovalId(db: Db, run: CodeRun): Promise<string | undefined> {
  const twin = await db('code_runs')
    .join('approvals', 'approvals.code_run_id', 'code_runs.id')
    .where({
      ...{ 'code_runs.org_id': run.orgId, 'code_runs.mcp_server_id': run.mcpServerId, 'code_runs.code_hash': run.codeHash },
      ...{ 'code_runs.status': 'waiting', 'approvals.status': 'pending', 'code_runs.requested_by_type': run.requestedByType },
    })
    .whereNot('code_runs.id', run.id)
    .whereRaw('code_runs.requested_by_id is not distinct from ?', [run.requestedById])
    .whereRaw('code_runs.end_user_id is not distinct from ?', [run.endUserId])
    .whereRaw('approvals.expires_at > now()')
    .orderBy('approvals.created_at', 'desc')
    .select('approvals.id')
    .first();
  return twin?.id;
}

/** Returns the stored plan of a run. */
export async function findPlan<Plan>(db: Db, id: string): Promise<Plan | undefined> {
  const row = await db('code_runs').select('plan').where({ id }).first().options({ name: 'plan-of-run' });
  return row?.plan ? decodePayload<Plan>(row.plan) : undefined;
}

/** Returns the given ids whose run has ended. */
export async function listEndedRunIds(db: Db, ids: readonly string[]): Promise<string[]> {
  return db('code_runs').whereIn('id', ids).whereNotNull('finished_at').pluck('id');
}

/** Seconds between two checks of the workflow of an unfinished run. */
const CHECK_SECONDS = 15;

/**
 * Returns ids of unfinished runs whose check is due, and marks the runs as checked now. Several
 * processes can call this at the same time.
 */
export async function claimUnseenRunIds(db: Db, limit: number): Promise<string[]> {
  const unseen = db('code_runs')
    .select('id')
    .whereIn('status', ['running', 'waiting'])
    .andWhereRaw("seen_at < now() - ? * interval '1 second'", [CHECK_SECONDS])
    .orderBy('seen_at')
    .limit(limit)
    .forUpdate()
    .skipLocked();
  const seen = await db('code_runs').whereRaw('id = any(array(?))', [unseen]).update({ seen_at: db.fn.now() }).returning('id');
  return seen.map(({ id }) => id);
}

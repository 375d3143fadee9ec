import type { Knex } from 'knex';
import type { CodeRun, CodeRunResult, CodeRunStatus } from '../domain/code-run.ts';
import type { Db } from '../infra/database.ts';
import { columns, toRow } from './columns.ts';
import { PassReplacedError } from './journal.ts';
import { decodePayload, encodePayload } from './payload.ts';

const COLUMNS = columns<CodeRun & { plan: unknown }>(
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
  'finishedAt',
);

type Row = Omit<CodeRun, 'code' | 'result'> & { code: Buffer; result: Buffer | null };
export type NewCodeRun = Pick<
  CodeRun,
  'id' | 'orgId' | 'workspaceId' | 'mcpServerId' | 'endUserId' | 'requestedByType' | 'requestedById' | 'code' | 'codeHash'
>;

export async function insertCodeRun(db: Db, run: NewCodeRun): Promise<void> {
  await db('code_runs').insert({
    id: run.id,
    org_id: run.orgId,
    workspace_id: run.workspaceId,
    mcp_server_id: run.mcpServerId,
    end_user_id: run.endUserId,
    requested_by_type: run.requestedByType,
    requested_by_id: run.requestedById,
    status: 'running',
    code: encodePayload(run.code),
    code_hash: run.codeHash,
  });
}

/** Any organization's: workflows carry the id alone. */
export async function findCodeRun(db: Db, id: string): Promise<CodeRun | undefined> {
  const row: Row | undefined = await db('code_runs')
    .select(COLUMNS)
    .select(db.raw('coalesce(awaited_until > now(), false) as "isAwaited"'))
    .select(db.raw('extract(epoch from now() - finished_at)::float as "finishedSecondsAgo"'))
    .where({ id })
    .first();
  return row && { ...row, code: decodePayload(row.code), result: row.result && decodePayload<CodeRunResult>(row.result) };
}

/** The channel on which a run that somebody waits for tells that a pass, or the run, has ended. */
export const RUN_MOVED = 'code_run_moved';

/** Ends a moment before the continuation itself gives up, which then has said that the run still waits. */
const SOONER_SECONDS = 0.05;

/** Notes that a continuation is about to wait so long for a run. */
export async function awaitCodeRun(db: Db, id: string, seconds: number): Promise<void> {
  const until = db.raw("greatest(awaited_until, now() + ? * interval '1 second')", [seconds - SOONER_SECONDS]);
  await db('code_runs').where({ id }).update({ awaited_until: until });
}

/** Tells those who wait, if there are any, in the statement that moves a run. Answers whether it moved. */
async function tellMoved(db: Db, move: Knex.QueryBuilder): Promise<boolean> {
  const moved = move.returning(['id', 'awaited_until']);
  const told = db.raw('case when awaited_until > now() then pg_notify(?, id) end', [RUN_MOVED]);
  const rows = await db.with('moved', moved).select('id', told).from('moved');
  return rows.length > 0;
}

/** Runs of an organization that are running now; those that wait for a person don't count. */
export async function countRunningCodeRuns(db: Db, orgId: string): Promise<number> {
  const counted = await db('code_runs').where({ org_id: orgId, status: 'running' }).count({ total: '*' }).first();
  return Number(counted?.total ?? 0);
}

/** Takes back a run that Temporal never heard of. */
export async function deleteUnstartedCodeRun(db: Db, id: string): Promise<void> {
  await db('code_runs').where({ id, status: 'running', pass_number: 0 }).delete();
}

export interface KeptPlan {
  toolSurfaceHash: string;
}

/** Keeps a plan that asks people, and lets the run wait for them; false when another planner was first. */
export async function savePlan(db: Db, run: Pick<CodeRun, 'id' | 'toolSurfaceHash'>, plan: KeptPlan): Promise<boolean> {
  const saved = await db('code_runs')
    .where({ id: run.id })
    .andWhereRaw('tool_surface_hash is not distinct from ?', [run.toolSurfaceHash])
    .whereIn('status', ['running', 'waiting'])
    .update({ ...planColumns(plan), status: 'waiting' });
  return saved > 0;
}

/** The plan of a run, as it was kept. */
export async function findPlan<Plan>(db: Db, id: string): Promise<Plan | undefined> {
  const row = await db('code_runs').select('plan').where({ id }).first();
  return row?.plan ? decodePayload<Plan>(row.plan) : undefined;
}

/** Begins the next pass, on this plan, and shuts out the one before, wherever it may still run. Throws PassReplacedError when the run is finished. */
export async function beginPass(db: Db, id: string, plan: KeptPlan): Promise<number> {
  const [row] = await db('code_runs')
    .where({ id })
    .whereIn('status', ['running', 'waiting'])
    .update({ ...planColumns(plan), status: 'running', pass_number: db.raw('pass_number + 1') })
    .returning('pass_number as passNumber');
  if (!row) throw new PassReplacedError('the run is finished');
  return row.passNumber;
}

function planColumns(plan: KeptPlan) {
  return { tool_surface_hash: plan.toolSurfaceHash, plan: encodePayload(plan) };
}

/** Ends a pass that met a gate. */
export async function pauseRun(db: Db, id: string, pass: { passNumber: number; runningMs: number }): Promise<boolean> {
  const running = db('code_runs').where({ id, status: 'running', pass_number: pass.passNumber });
  return tellMoved(db, running.update({ status: 'waiting', running_ms: db.raw('running_ms + ?', [Math.round(pass.runningMs)]) }));
}

export interface RunEnd {
  status: CodeRunStatus;
  result: CodeRunResult;
  runningMs: number;
  /** Of the pass that ended it; undefined for an end that no pass made. */
  passNumber?: number | undefined;
}

/** Finishes a run once; a later attempt, or one of a pass that was replaced, changes nothing. */
export async function finishRun(db: Db, id: string, { status, result, runningMs, passNumber }: RunEnd): Promise<boolean> {
  const query = db('code_runs').where({ id }).whereIn('status', ['running', 'waiting']);
  if (passNumber !== undefined) query.andWhere({ pass_number: passNumber });
  const end = { status, result: encodePayload(result), finished_at: db.fn.now() };
  return tellMoved(db, query.update({ ...end, running_ms: db.raw('running_ms + ?', [Math.round(runningMs)]) }));
}

/** Ends every unfinished run that concerns this and shuts out the passes that may be under way; answers their ids. */
export async function cancelCodeRuns(
  db: Db,
  concern: { orgId: string; workspaceId?: string | undefined; mcpServerId?: string | undefined; endUserId?: string | undefined },
  result: CodeRunResult,
): Promise<string[]> {
  const rows = await db('code_runs')
    .where(toRow(concern))
    .whereIn('status', ['running', 'waiting'])
    .update({ status: 'canceled', pass_number: db.raw('pass_number + 1'), result: encodePayload(result), finished_at: db.fn.now() })
    .returning('id');
  return rows.map((row) => row.id);
}

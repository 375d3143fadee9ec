import type { CodeRun, CodeRunResult, PassRecord } from '../domain/code-run.ts';
import type { Db } from '../infra/database.ts';
import { columns } from './columns.ts';
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
  'clockStartedAt',
  'finishedAt',
  'resultDeletedAt',
  'lastPass',
  'replayVersion',
);

type Row = Omit<CodeRun, 'code' | 'result' | 'lastPass'> & { code: Buffer; result: Buffer | null; lastPass: Buffer | null };
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

/** A lease holds for the pass under way alone. */
export const LEASED = "(status = 'running' and coalesce(leased_until > now(), false))";

/** Any organization's: workflows carry the id alone. */
export async function findCodeRun(db: Db, id: string): Promise<CodeRun | undefined> {
  const row: Row | undefined = await db('code_runs')
    .select(COLUMNS)
    .select(db.raw('coalesce(awaited_until > now(), false) as "isAwaited"'))
    .select(db.raw(`${LEASED} as "isLeased"`))
    .select(db.raw('extract(epoch from now() - finished_at)::float as "finishedSecondsAgo"'))
    .where({ id })
    .first()
    .options({ name: 'code-run' });
  if (!row) return undefined;
  const lastPass = row.lastPass && decodePayload<PassRecord>(row.lastPass);
  return { ...row, code: decodePayload(row.code), lastPass, result: row.result && resultOf(row, decodePayload(row.result), lastPass) };
}

/** Whoever cancels a run knows nothing of its passes. */
function resultOf({ status, runningMs }: Row, result: CodeRunResult, lastPass: PassRecord | null): CodeRunResult {
  if (status !== 'canceled') return result;
  const { logs, sandboxMs } = lastPass ?? { logs: result.logs, sandboxMs: result.timings.sandboxMs };
  return { ...result, logs, timings: { totalExecuteMs: runningMs, sandboxMs } };
}

/** Ends a moment before the continuation itself gives up, which then has said that the run still waits. */
const SOONER_SECONDS = 0.05;

/** Notes that a continuation is about to wait so long for a run. */
export async function awaitCodeRun(db: Db, id: string, seconds: number): Promise<void> {
  const until = db.raw("greatest(awaited_until, now() + ? * interval '1 second')", [seconds - SOONER_SECONDS]);
  await db('code_runs').where({ id }).update({ awaited_until: until });
}

/** Runs of an organization that are running now or wait for their turn; those that wait for a person don't count. */
export async function countRunningCodeRuns(db: Db, orgId: string): Promise<number> {
  const running = db('code_runs').where({ org_id: orgId, status: 'running' });
  const counted = await running.count({ total: '*' }).first();
  return Number(counted?.total ?? 0);
}

/** The approval that another run waits for, if there is one: the same code of the same caller, sent to the same server before. */
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

/** Whose a run is. */
export async function findOrgOfCodeRun(db: Db, id: string): Promise<string | undefined> {
  const row = await db('code_runs').select('org_id as orgId').where({ id }).first();
  return row?.orgId;
}

/** Takes back a run that has not begun; false where there is none. */
export async function deleteUnstartedCodeRun(db: Db, id: string): Promise<boolean> {
  return (await db('code_runs').where({ id, status: 'running', pass_number: 0 }).delete()) > 0;
}

/** The plan of a run, as it was kept. */
export async function findPlan<Plan>(db: Db, id: string): Promise<Plan | undefined> {
  const row = await db('code_runs').select('plan').where({ id }).first().options({ name: 'plan-of-run' });
  return row?.plan ? decodePayload<Plan>(row.plan) : undefined;
}

/** Those of these runs that have ended. */
export async function listEndedRunIds(db: Db, ids: readonly string[]): Promise<string[]> {
  return db('code_runs').whereIn('id', ids).whereNotNull('finished_at').pluck('id');
}

/** So long nobody need look after a run. */
const UNSEEN_SECONDS = 15;

/** Unfinished runs that nobody has looked after for a while, the longest first; they count as looked after from now on. Others may ask at the same time. */
export async function takeUnseenRunIds(db: Db, limit: number): Promise<string[]> {
  const unseen = db('code_runs')
    .select('id')
    .whereIn('status', ['running', 'waiting'])
    .andWhereRaw("seen_at < now() - ? * interval '1 second'", [UNSEEN_SECONDS])
    .orderBy('seen_at')
    .limit(limit)
    .forUpdate()
    .skipLocked();
  const seen = await db('code_runs').whereRaw('id = any(array(?))', [unseen]).update({ seen_at: db.fn.now() }).returning('id');
  return seen.map(({ id }) => id);
}

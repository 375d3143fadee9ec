import type { Knex } from 'knex';
import { type CodeRun, type CodeRunResult, type CodeRunStatus, type PassRecord, REPLAY_VERSION } from '../domain/code-run.ts';
import type { Db } from '../infra/database.ts';
import type { Concern } from './approval-moves.ts';
import { LEASED } from './code-runs.ts';
import { columns, toRow } from './columns.ts';
import { type Fence, writtenRow } from './fence.ts';
import { encodePayload } from './payload.ts';

/** The channel on which a run tells workers that its workflow was started, so that nobody has to wait for that. */
export const RUN_STARTED = 'code_run_started';

/** Tells workers that a run was started. */
export async function tellStarted(db: Db, id: string): Promise<void> {
  await db.raw('select pg_notify(?, ?)', [RUN_STARTED, id]);
}

/** The channel on which a run tells those who wait for it that a pass, or the run, has ended. */
export const RUN_MOVED = 'code_run_moved';

export interface KeptPlan {
  toolSurfaceHash: string;
}

/** At a new gate everybody who waits is answered: what is decided from then on lets nothing go on before somebody asks again. */
const ANSWERED = { awaited_until: null };

/** Keeps a plan that asks people, and lets the run wait for them; false when another planner was first. */
export async function savePlan(db: Db, run: Pick<CodeRun, 'id' | 'toolSurfaceHash'>, plan: KeptPlan): Promise<boolean> {
  const unplanned = db('code_runs')
    .where({ id: run.id })
    .andWhereRaw('tool_surface_hash is not distinct from ?', [run.toolSurfaceHash])
    .whereIn('status', ['running', 'waiting']);
  return tellMoved(db, unplanned.update({ ...planColumns(plan), status: 'waiting', ...ANSWERED }));
}

/** A run as it was read, with the start of its clock. */
export type RunToPass = Pick<CodeRun, 'id' | 'status' | 'passNumber'> & { clockStartedAt: Date };

/**
 * Begins the next pass, on this plan, and shuts out the one before, wherever it may still run, unless that holds a lease. Throws PassReplacedError then, where another
 * pass has begun since the run was read, and when it is finished.
 */
export async function beginPass(db: Db, run: RunToPass, plan: KeptPlan): Promise<number> {
  const unmoved = db('code_runs').where({ id: run.id, pass_number: run.passNumber }).whereIn('status', ['running', 'waiting']);
  return begin(db, 'begin-pass', unmoved.whereRaw(`not ${LEASED}`), { ...begunColumns(run, plan), leased_until: null });
}

/** The same with a lease, and only where the run stands as it was read. */
export async function beginLeasedPass(db: Db, run: RunToPass, plan: KeptPlan): Promise<number> {
  const unmoved = db('code_runs').where({ id: run.id, status: run.status, pass_number: run.passNumber });
  return begin(db, 'begin-leased-pass', unmoved, { ...begunColumns(run, plan), leased_until: leaseEnd(db) });
}

function begunColumns({ clockStartedAt }: RunToPass, plan: KeptPlan) {
  return { ...planColumns(plan), status: 'running', replay_version: REPLAY_VERSION, clock_started_at: clockStartedAt };
}

async function begin(db: Db, name: string, run: Knex.QueryBuilder, columns: object): Promise<number> {
  const rows = await run
    .update({ ...columns, pass_number: db.raw('pass_number + 1') })
    .returning('pass_number as passNumber')
    .options({ name });
  return writtenRow<{ passNumber: number }>(rows).passNumber;
}

/** So long a pass that says no more that it lives keeps others waiting. */
const LEASE_SECONDS = 10;

function leaseEnd(db: Db) {
  return db.raw("now() + ? * interval '1 second'", [LEASE_SECONDS]);
}

/** Says that a pass with a lease lives. */
export async function renewLease(db: Db, { codeRunId, passNumber }: Fence): Promise<void> {
  await db('code_runs')
    .where({ id: codeRunId, status: 'running', pass_number: passNumber })
    .update({ leased_until: leaseEnd(db) });
}

/** A pass with a lease broke off: whoever waits for it goes on at once. */
export async function endLease(db: Db, { codeRunId, passNumber }: Fence): Promise<void> {
  const mine = db('code_runs').where({ id: codeRunId, status: 'running', pass_number: passNumber });
  await tellMoved(db, mine.update({ leased_until: null }));
}

function planColumns(plan: KeptPlan) {
  return { tool_surface_hash: plan.toolSurfaceHash, plan: encodePayload(plan) };
}

/** Lets a run wait that a lost pass left running: people are still asked. */
export async function holdRun(db: Db, id: string, passNumber: number): Promise<boolean> {
  return tellMoved(db, db('code_runs').where({ id, status: 'running', pass_number: passNumber }).update({ status: 'waiting' }));
}

/** Ends a pass that met a gate. */
export async function pauseRun(db: Db, id: string, record: PassRecord, runningMs: number): Promise<boolean> {
  const running = db('code_runs').where({ id, status: 'running', pass_number: record.passNumber });
  return tellMoved(db, running.update({ status: 'waiting', ...ANSWERED, ...recordColumns(db, record, runningMs) }));
}

/** Adds to a canceled run what the pass had written that was under way; nothing where another pass had taken its place. */
export async function keepStoppedPass(db: Db, id: string, record: PassRecord, runningMs: number): Promise<boolean> {
  const canceled = db('code_runs').where({ id, status: 'canceled', pass_number: record.passNumber + 1 });
  return tellMoved(db, canceled.update(recordColumns(db, record, runningMs)));
}

function recordColumns(db: Db, record: PassRecord, runningMs: number) {
  return { last_pass: encodePayload(record), running_ms: db.raw('running_ms + ?', [Math.round(runningMs)]) };
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
  const end = { status, result: encodePayload(result), last_pass: null, finished_at: db.fn.now() };
  const finished = query.update({ ...end, running_ms: db.raw('running_ms + ?', [Math.round(runningMs)]) });
  return tellMoved(db, finished, passNumber === undefined ? undefined : 'finish-run');
}

/** The channel on which a run that was canceled tells the pass that may be under way, with the run's id. */
export const RUN_CANCELED = 'code_run_canceled';

export interface CanceledRun {
  id: string;
  orgId: string;
  workspaceId: string;
}

/** Ends every unfinished run that concerns this, shuts out the passes that may be under way, and tells them and those who wait; answers which. */
export async function cancelCodeRuns(
  db: Db,
  { codeRunId, ...concern }: Pick<Concern, 'workspaceId' | 'mcpServerId' | 'endUserId' | 'codeRunId'> & { orgId?: string },
  result: CodeRunResult,
): Promise<CanceledRun[]> {
  const canceled = db('code_runs')
    .where(toRow({ ...concern, id: codeRunId }))
    .whereIn('status', ['running', 'waiting'])
    .update({ status: 'canceled', pass_number: db.raw('pass_number + 1'), result: encodePayload(result), finished_at: db.fn.now() })
    .returning(columns<CanceledRun>('id', 'orgId', 'workspaceId'));
  const told = db.raw('pg_notify(?, id), pg_notify(?, id)', [RUN_CANCELED, RUN_MOVED]);
  const rows: CanceledRun[] = await db.with('canceled', canceled).select('id', 'orgId', 'workspaceId', told).from('canceled');
  return rows.map(({ id, orgId, workspaceId }) => ({ id, orgId, workspaceId }));
}

/** Tells those who wait in the statement that moves a run, prepared where it has a name. Answers whether it moved. */
async function tellMoved(db: Db, move: Knex.QueryBuilder, name?: string): Promise<boolean> {
  const moved = move.returning('id');
  const told = db.raw('pg_notify(?, id)', [RUN_MOVED]);
  const rows = await db.with('moved', moved).select('id', told).from('moved').options({ name });
  return rows.length > 0;
}

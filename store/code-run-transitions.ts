import type { Knex } from 'knex';
import { type CodeRun, type CodeRunResult, type CodeRunStatus, type PassRecord, REPLAY_VERSION } from '../domain/code-run.ts';
import type { Db } from '../infra/database.ts';
import type { Concern } from './approval-transitions.ts';
import { LEASED } from './code-runs.ts';
import { columns, toRow } from './columns.ts';
import { type Fence, writtenRow } from './fence.ts';
import { encodePayload } from './payload.ts';

/** Notification channel: a run waits or has ended, or its pass has stopped. */
export const RUN_CHANGED = 'code_run_changed';

export interface KeptPlan {
  toolSurfaceHash: string;
  groups: readonly { approvalId: string }[];
}

/**
 * When a run needs new approvals, all waiting callers get an answer. After that, a decision resumes
 * the run immediately only if a new caller waits.
 */
const ANSWERED = { awaited_until: null };

/**
 * Stores a plan and its program, and makes the run wait. Returns false if another plan was stored
 * first, or if the run has ended.
 */
export async function savePlan(
  db: Db,
  run: Pick<CodeRun, 'id' | 'toolSurfaceHash'>,
  plan: KeptPlan,
  program: Buffer | null,
): Promise<boolean> {
  const unplanned = db('code_runs')
    .where({ id: run.id })
    .andWhereRaw('tool_surface_hash is not distinct from ?', [run.toolSurfaceHash])
    .whereIn('status', ['running', 'waiting']);
  return updateAndNotify(db, unplanned.update({ ...planColumns(plan, program), status: 'waiting', ...ANSWERED }));
}

/** A run as it was read, with the start time of its clock. */
export type BeginningRun = Pick<CodeRun, 'id' | 'status' | 'passNumber'> & { clockStartedAt: Date };

/**
 * Begins the next pass (execution of the code), and fences off the previous pass. Returns the
 * number of the pass. Throws PassReplacedError if the run is leased or finished, or if another pass
 * has begun.
 */
export async function beginPass(db: Db, run: BeginningRun, plan: KeptPlan, program: Buffer | null = null): Promise<number> {
  const rows = await db('code_runs')
    .where({ id: run.id, pass_number: run.passNumber })
    .whereIn('status', ['running', 'waiting'])
    .whereRaw(`not ${LEASED}`)
    .update({ ...begunColumns(db, run, plan, program), leased_until: null })
    .returning('pass_number as passNumber')
    .options({ name: 'begin-pass' });
  return writtenRow<{ passNumber: number }>(rows).passNumber;
}

/**
 * Begins the next pass with a lease. Throws PassReplacedError if the status or the pass of the run
 * has changed. Wakes a workflow that sleeps (`declinePass`).
 */
export async function beginLeasedPass(db: Db, run: BeginningRun, plan: KeptPlan, program: Buffer | null = null): Promise<number> {
  const begun = db('code_runs')
    .where({ id: run.id, status: run.status, pass_number: run.passNumber })
    .update({ ...begunColumns(db, run, plan, program), leased_until: leaseEnd(db) })
    .returning(['id', 'pass_number', db.raw('declined_pass_number is not distinct from pass_number - 1 as is_declined')]);
  const approval = db('approvals').select('id').whereRaw('code_run_id = begun.id').limit(1);
  const woken = db(db.raw('outbox (kind, approval_id)')).insert(
    db.select(db.raw("'run-resumed'"), approval.as('approval_id')).from('begun').where('is_declined', true),
  );
  const rows = await db
    .with('begun', begun)
    .with('woken', woken)
    .select('pass_number as passNumber')
    .from('begun')
    .options({ name: 'begin-leased-pass' });
  return writtenRow<{ passNumber: number }>(rows).passNumber;
}

/**
 * Records that the workflow of a waiting run sleeps until its next signal. Throws PassReplacedError
 * if the run has changed since it was read.
 */
export async function declinePass(db: Db, { id, passNumber }: Pick<CodeRun, 'id' | 'passNumber'>): Promise<void> {
  const rows = await db('code_runs')
    .where({ id, pass_number: passNumber, status: 'waiting' })
    .update({ declined_pass_number: passNumber })
    .returning('id')
    .options({ name: 'decline-pass' });
  writtenRow(rows);
}

function begunColumns(db: Db, { clockStartedAt }: BeginningRun, plan: KeptPlan, program: Buffer | null) {
  return {
    ...planColumns(plan, program),
    status: 'running',
    replay_version: REPLAY_VERSION,
    clock_started_at: clockStartedAt,
    pass_number: db.raw('pass_number + 1'),
  };
}

/** Lease duration. A pass that stops renewing its lease is replaced after this time. */
const LEASE_SECONDS = 10;

function leaseEnd(db: Db) {
  return db.raw("now() + ? * interval '1 second'", [LEASE_SECONDS]);
}

/** Renews the lease of a pass. */
export async function renewLease(db: Db, { codeRunId, passNumber }: Fence): Promise<void> {
  await db('code_runs')
    .where({ id: codeRunId, status: 'running', pass_number: passNumber })
    .update({ leased_until: leaseEnd(db) });
}

/** Ends the lease of a failed pass, so that the run continues immediately. */
export async function endLease(db: Db, { codeRunId, passNumber }: Fence): Promise<void> {
  const mine = db('code_runs').where({ id: codeRunId, status: 'running', pass_number: passNumber });
  await updateAndNotify(db, mine.update({ leased_until: null }));
}

function planColumns(plan: KeptPlan, program: Buffer | null) {
  const approvalIds = plan.groups.map(({ approvalId }) => approvalId);
  return { tool_surface_hash: plan.toolSurfaceHash, plan: encodePayload(plan), plan_approval_ids: approvalIds, program };
}

/** Makes a run wait again after its pass was lost. Returns false if the run has changed since. */
export async function returnToWaiting(db: Db, id: string, passNumber: number): Promise<boolean> {
  return updateAndNotify(db, db('code_runs').where({ id, status: 'running', pass_number: passNumber }).update({ status: 'waiting' }));
}

/** Ends a pass and makes the run wait; false if the pass was replaced. */
export async function pauseRun(db: Db, id: string, record: PassRecord, runningMs: number): Promise<boolean> {
  const running = db('code_runs').where({ id, status: 'running', pass_number: record.passNumber });
  return updateAndNotify(db, running.update({ status: 'waiting', ...ANSWERED, ...recordColumns(db, record, runningMs) }));
}

/**
 * Adds the log of the stopped pass to a canceled run. Returns false if the run was not canceled, or
 * if another pass had replaced that pass.
 */
export async function recordStoppedPass(db: Db, id: string, record: PassRecord, runningMs: number): Promise<boolean> {
  const canceled = db('code_runs').where({ id, status: 'canceled', pass_number: record.passNumber + 1 });
  return updateAndNotify(db, canceled.update(recordColumns(db, record, runningMs)));
}

function recordColumns(db: Db, record: PassRecord, runningMs: number) {
  return { last_pass: encodePayload(record), running_ms: db.raw('running_ms + ?', [Math.round(runningMs)]) };
}

export interface RunEnd {
  status: CodeRunStatus;
  result: CodeRunResult;
  runningMs: number;
  /** The pass that ended the run, if a pass did. */
  passNumber?: number | undefined;
}

/** Ends a run. Returns false if the run had already ended or its pass was replaced. */
export async function recordRunEnd(db: Db, id: string, { status, result, runningMs, passNumber }: RunEnd): Promise<boolean> {
  const query = db('code_runs').where({ id }).whereIn('status', ['running', 'waiting']);
  if (passNumber !== undefined) query.andWhere({ pass_number: passNumber });
  const end = { status, result: encodePayload(result), last_pass: null, program: null, finished_at: db.fn.now() };
  const finished = query.update({ ...end, running_ms: db.raw('running_ms + ?', [Math.round(runningMs)]) });
  return updateAndNotify(db, finished, passNumber === undefined ? undefined : 'finish-run');
}

/** Notification channel: a run was canceled, and a pass under way must stop. */
export const RUN_CANCELED = 'code_run_canceled';

export interface CanceledRun {
  id: string;
  orgId: string;
  workspaceId: string;
}

/** Cancels and returns all unfinished runs that match, and fences off their passes. */
export async function cancelCodeRuns(
  db: Db,
  { codeRunId, ...concern }: Pick<Concern, 'workspaceId' | 'mcpServerId' | 'endUserId' | 'codeRunId'> & { orgId?: string },
  result: CodeRunResult,
): Promise<CanceledRun[]> {
  const canceled = db('code_runs')
    .where(toRow({ ...concern, id: codeRunId }))
    .whereIn('status', ['running', 'waiting'])
    .update({
      status: 'canceled',
      pass_number: db.raw('pass_number + 1'),
      result: encodePayload(result),
      program: null,
      finished_at: db.fn.now(),
    })
    .returning(columns<CanceledRun>('id', 'orgId', 'workspaceId'));
  const told = db.raw('pg_notify(?, id), pg_notify(?, id)', [RUN_CANCELED, RUN_CHANGED]);
  const rows: CanceledRun[] = await db.with('canceled', canceled).select('id', 'orgId', 'workspaceId', told).from('canceled');
  return rows.map(({ id, orgId, workspaceId }) => ({ id, orgId, workspaceId }));
}

async function updateAndNotify(db: Db, move: Knex.QueryBuilder, name?: string): Promise<boolean> {
  const moved = move.returning('id');
  const told = db.raw('pg_notify(?, id)', [RUN_CHANGED]);
  const rows = await db.with('moved', moved).select('id', told).from('moved').options({ name });
  return rows.length > 0;
}

import type { Call, CallEntry, CallOfRun, CallOutcome } from '../domain/call.ts';
import type { RecordedTimer } from '../domain/code-run.ts';
import { factsToKeep } from '../domain/policies/recorded-facts.ts';
import { previewInput } from '../domain/redaction/preview-input.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { ENTRY_COLUMNS } from './calls.ts';
import { columns, toRow } from './columns.ts';
import { type Fence, heldBy, PassReplacedError, writtenRow } from './fence.ts';
import { encodePayload } from './payload.ts';

/**
 * The calls (rows of `calls`) and timers of a code run. Until the run ends, only its current pass
 * writes them.
 */
export interface Journal {
  calls: JournalCall[];
  timers: RecordedTimer[];
}

/** A call in the journal, without its outcome, which can be large. */
export interface JournalCall extends CallEntry {
  /** Size of the stored outcome in bytes; null if there is none. */
  outcomeBytes: number | null;
}

const TIMER_COLUMNS = columns<RecordedTimer>('number', 'delayMs', 'dueAt', 'dueMs', 'completionNumber', 'completedAt');

export async function readJournal(db: Db, codeRunId: string): Promise<Journal> {
  const outcomeBytes = db.raw('octet_length(outcome) as "outcomeBytes"');
  const [calls, timers] = await Promise.all([
    db('calls').select(ENTRY_COLUMNS).select(outcomeBytes).where({ code_run_id: codeRunId }).orderBy('call_number'),
    db('code_run_timers').select(TIMER_COLUMNS).where({ code_run_id: codeRunId }).orderBy('number'),
  ]);
  return { calls, timers };
}

/** A finished call of a run, for the caller of the run. */
export type RunStep = Pick<CallEntry, 'integrationAlias' | 'actionName' | 'status' | 'startedAt' | 'startedMs'> & { finishedAt: Date };

/** Returns the finished calls of a run, in the order in which the code made them. */
export async function listRunSteps(db: Db, codeRunId: string): Promise<RunStep[]> {
  return db('calls')
    .select(columns<RunStep>('integrationAlias', 'actionName', 'status', 'startedAt', 'startedMs', 'finishedAt'))
    .where({ code_run_id: codeRunId })
    .whereIn('status', ['succeeded', 'failed'])
    .orderBy('call_number')
    .options({ name: 'steps-of-run' });
}

/**
 * Returns the number of recorded calls of a run. Idempotent calls in flight may be missing, because
 * most of them are recorded when they end.
 */
export async function countRunCalls(db: Db, codeRunId: string): Promise<number> {
  const [row] = await db('calls').where({ code_run_id: codeRunId }).count({ count: '*' });
  return Number(row!.count);
}

/** The progress of a run that waits. */
export interface RunProgress {
  callsMade: number;
  /** The line of each call that waits for approval, by the id of the approval. */
  heldLines: Map<string, number>;
}

export async function findRunProgress(db: Db, codeRunId: string): Promise<RunProgress> {
  const calls: { status: string; approvalId: string; line: number | null }[] = await db('calls')
    .select('status', 'approval_id as approvalId', 'code_line as line')
    .where({ code_run_id: codeRunId })
    .whereIn('status', ['succeeded', 'failed', 'gated']);
  const held = calls.filter(({ status }) => status === 'gated');
  return {
    callsMade: calls.length - held.length,
    heldLines: new Map(held.flatMap(({ approvalId, line }) => (line === null ? [] : [[approvalId, line]]))),
  };
}

/** Finds the recorded call with this number. */
export async function findJournalCall(db: Db, codeRunId: string, callNumber: number): Promise<CallEntry | undefined> {
  return db('calls').select(ENTRY_COLUMNS).where({ code_run_id: codeRunId, call_number: callNumber }).first();
}

const INSERT = {
  name: 'journal-insert-call',
  text: `with fence as (select id from code_runs where id = $13 and pass_number = $15 and finished_at is null for share)
         insert into calls (org_id, workspace_id, source, mcp_server_id, workspace_integration_id, integration_name, integration_alias, action_name,
           end_user_id, connection_id, requested_by_type, requested_by_id, code_run_id, call_number, input_hash, status, approval_id,
           outcome, completion_number, started_at, finished_at, request_hash, started_ms, code_line, code_column, input_preview, idempotent, facts,
           planned_call)
         select $1::uuid, $2::uuid, $3, $4::uuid, $5::uuid, $6, $7, $8, $9, $10::uuid, $11, $12, $13, $14::int, $16, $17, $18,
           $19::bytea, $20::int, coalesce($21::timestamptz, now()), $22::timestamptz, $23, $24::int, $25::int, $26::int, $27::bytea, $28::boolean, $29::jsonb,
           $30::int
         from fence returning id`,
};

export interface CallRecord {
  inputHash: string;
  status: CallEntry['status'];
  approvalId?: string | null;
  outcome?: CallOutcome;
  completionNumber?: number;
  startedAt?: Date;
  finishedAt?: Date;
}

/**
 * Records a call and returns its id. Stores only the part of the input that reviewers may see.
 * Throws PassReplacedError if another pass has taken over or the run has ended.
 */
export async function insertJournalCall(db: Db, call: Call, record: CallRecord): Promise<string> {
  return writtenRow(await runPrepared<{ id: string }>(db, INSERT, valuesOf(call, record))).id;
}

const INSERT_LATE = {
  name: 'journal-insert-late-call',
  text: INSERT.text
    .replace('pass_number = $15 and finished_at is null', 'pass_number >= $15 and finished_at is not null')
    .replace('from fence returning id', 'from fence on conflict do nothing'),
};

/** Records a call that was in flight when its run ended. Does nothing while the run continues. */
export async function insertLateCall(db: Db, call: Call, record: CallRecord): Promise<void> {
  await runPrepared(db, INSERT_LATE, valuesOf(call, record));
}

/** Like `insertLateCall`, for a call that was recorded when it began. */
export async function finishLateCall(db: Db, callId: string, end: { outcome: CallOutcome; finishedAt: Date }): Promise<void> {
  await db('calls')
    .where({ id: callId })
    .whereIn('status', ['executing', 'unknown'])
    .whereExists(db('code_runs').whereRaw('id = calls.code_run_id').whereNotNull('finished_at'))
    .update({ status: end.outcome.ok ? 'succeeded' : 'failed', outcome: encodePayload(end.outcome), finished_at: end.finishedAt });
}

function valuesOf(call: Call, record: CallRecord): unknown[] {
  const run = call.run!;
  return [
    call.orgId,
    call.workspaceId,
    call.source,
    call.mcpServerId,
    call.workspaceIntegrationId,
    call.integrationName,
    call.integrationAlias,
    call.actionName,
    call.endUserId,
    call.connectionId,
    call.requestedBy.type,
    call.requestedBy.id,
    run.codeRunId,
    run.callNumber,
    run.passNumber,
    record.inputHash,
    record.status,
    record.approvalId ?? null,
    record.outcome ? encodePayload(record.outcome) : null,
    record.completionNumber ?? null,
    record.startedAt ?? null,
    record.finishedAt ?? null,
    run.requestHash,
    run.startedMs,
    run.line,
    run.column,
    encodePayload(previewInput(call.input, call.hiddenPaths).preview),
    call.idempotent,
    factsToKeep(call),
    plannedCallOf(run, record.approvalId),
  ];
}

function plannedCallOf({ planApprovals }: CallOfRun, approvalId: string | null | undefined): number | null {
  return Object.values(planApprovals).find((one) => one.approvalId === approvalId)?.plannedCall ?? null;
}

/**
 * Starts a recorded call: an approved call that was held, or a call repeated after a crash.
 * Throws PassReplacedError if another pass has taken over or the run has ended.
 */
export async function startJournalCall(db: Db, run: CallOfRun, callId: string): Promise<void> {
  const started = await db('calls')
    .where({ id: callId })
    .whereIn('status', ['gated', 'executing'])
    .whereExists(heldBy(db, run))
    .update({ status: 'executing', started_at: db.fn.now(), started_ms: run.startedMs });
  if (started === 0) throw new PassReplacedError('another pass has taken over');
}

/**
 * Binds a held call to another approval and to its current input. Locks the run, so that a
 * concurrent end of the run also withdraws this approval. Throws PassReplacedError if another pass
 * has taken over or the run has ended.
 */
export async function holdJournalCall(
  db: Db,
  run: CallOfRun,
  callId: string,
  held: { inputHash: string; approvalId: string },
): Promise<void> {
  const fields = toRow({ ...held, plannedCall: plannedCallOf(run, held.approvalId) });
  const changed = await db('calls').where({ id: callId, status: 'gated' }).whereExists(heldBy(db, run).forShare()).update(fields);
  if (changed === 0) throw new PassReplacedError('another pass has taken over');
}

const FINISH = {
  name: 'journal-finish-call',
  text: `with fence as (select id from code_runs where id = $1 and pass_number = $2 for share)
         update calls set status = $4, outcome = $5, completion_number = $6, finished_at = $7
         from fence where calls.id = $3 and (calls.status = 'executing' or calls.completion_number = $6) returning calls.id`,
};

/**
 * Records the outcome of a call and its number in the order of completions. Can be repeated with
 * the same number. Throws PassReplacedError if another pass has taken over.
 */
export async function finishJournalCall(
  db: Db,
  fence: Fence,
  callId: string,
  end: { outcome: CallOutcome; completionNumber: number; finishedAt: Date },
): Promise<void> {
  const values = [
    fence.codeRunId,
    fence.passNumber,
    callId,
    end.outcome.ok ? 'succeeded' : 'failed',
    encodePayload(end.outcome),
    end.completionNumber,
    end.finishedAt,
  ];
  writtenRow(await runPrepared<{ id: string }>(db, FINISH, values));
}

/**
 * Sets the status `unknown` for a call that a crash interrupted. Returns false if the call is no
 * longer executing, another pass has taken over, or the run has ended.
 */
export async function markJournalCallUnknown(db: Db, fence: Fence, callId: string): Promise<boolean> {
  const marked = await db('calls')
    .where({ id: callId, status: 'executing' })
    .whereExists(heldBy(db, fence))
    .update({ status: 'unknown', finished_at: db.fn.now() });
  return marked > 0;
}

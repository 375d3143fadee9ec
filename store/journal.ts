import type { Call, CallOfRun, CallOutcome, RecordedCall } from '../domain/call.ts';
import type { RecordedTimer } from '../domain/code-run.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { CALL_COLUMNS, toCall } from './calls.ts';
import { columns, toRow } from './columns.ts';
import { encodePayload } from './payload.ts';

/** The journal of a code run: its calls (rows of `calls`) and its timers. Every write is fenced by the number of the pass: a pass that was replaced writes nothing. */
export interface Journal {
  calls: RecordedCall[];
  timers: RecordedTimer[];
}

const TIMER_COLUMNS = columns<RecordedTimer>('number', 'delayMs', 'dueAt', 'completionNumber', 'completedAt');

export async function readJournal(db: Db, codeRunId: string): Promise<Journal> {
  const [calls, timers] = await Promise.all([
    db('calls').select(CALL_COLUMNS).where({ code_run_id: codeRunId }).orderBy('call_number'),
    db('code_run_timers').select(TIMER_COLUMNS).where({ code_run_id: codeRunId }).orderBy('number'),
  ]);
  return { calls: calls.map((row) => toCall(row)!), timers };
}

export interface Fence {
  codeRunId: string;
  passNumber: number;
}

/** Thrown when a pass learns that another one has taken its place. */
export class PassReplacedError extends Error {
  override name = 'PassReplacedError';
}

const INSERT = {
  name: 'journal-insert-call',
  text: `with fence as (select id from code_runs where id = $13 and pass_number = $15 for share)
         insert into calls (org_id, workspace_id, source, mcp_server_id, workspace_integration_id, integration_name, integration_alias, action_name,
           end_user_id, connection_id, requested_by_type, requested_by_id, code_run_id, call_number, input_hash, status, approval_id,
           outcome, completion_number, started_at, finished_at, request_hash, started_ms)
         select $1::uuid, $2::uuid, $3, $4::uuid, $5::uuid, $6, $7, $8, $9, $10::uuid, $11, $12, $13, $14::int, $16, $17, $18,
           $19::bytea, $20::int, coalesce($21::timestamptz, now()), $22::timestamptz, $23, $24::int
         from fence returning id`,
};

/** Writes a call into the journal: about to run, held at a gate, or (reads, which may be repeated) already finished. */
export async function insertJournalCall(
  db: Db,
  call: Call,
  record: {
    inputHash: string;
    status: RecordedCall['status'];
    approvalId?: string | null;
    outcome?: CallOutcome;
    completionNumber?: number;
    startedAt?: Date;
    finishedAt?: Date;
  },
): Promise<string> {
  const run = call.run!;
  const rows = await runPrepared<{ id: string }>(db, INSERT, [
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
  ]);
  return one(rows).id;
}

/** Starts a recorded call: one that was held and is approved now, or one that may be made again after a crash. */
export async function startJournalCall(db: Db, run: CallOfRun, callId: string): Promise<void> {
  const started = await db('calls')
    .where({ id: callId })
    .whereIn('status', ['gated', 'executing'])
    .whereExists(heldBy(db, run))
    .update({ status: 'executing', started_at: db.fn.now(), started_ms: run.startedMs });
  if (started === 0) throw new PassReplacedError('another pass has taken over');
}

/** Holds a held call under another approval, for what it stands for now. */
export async function holdJournalCall(
  db: Db,
  fence: Fence,
  callId: string,
  held: { inputHash: string; approvalId: string },
): Promise<void> {
  const changed = await db('calls').where({ id: callId, status: 'gated' }).whereExists(heldBy(db, fence)).update(toRow(held));
  if (changed === 0) throw new PassReplacedError('another pass has taken over');
}

const FINISH = {
  name: 'journal-finish-call',
  text: `with fence as (select id from code_runs where id = $1 and pass_number = $2 for share)
         update calls set status = $4, outcome = $5, completion_number = $6, finished_at = $7
         from fence where calls.id = $3 and calls.status = 'executing' returning calls.id`,
};

/** Writes down how a call ended and in which place its completion is delivered. */
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
  one(await runPrepared<{ id: string }>(db, FINISH, values));
}

/** Says of a call that a crash left behind, and that may not be made again, that its outcome is unknown; false where it was said before. */
export async function markJournalCallUnknown(db: Db, fence: Fence, callId: string): Promise<boolean> {
  const marked = await db('calls')
    .where({ id: callId, status: 'executing' })
    .whereExists(heldBy(db, fence))
    .update({ status: 'unknown', finished_at: db.fn.now() });
  return marked > 0;
}

export async function insertTimer(db: Db, fence: Fence, timer: { number: number; delayMs: number; dueAt: Date }): Promise<void> {
  await fenced(db, fence, async (tx) => {
    await tx('code_run_timers').insert({
      code_run_id: fence.codeRunId,
      number: timer.number,
      delay_ms: timer.delayMs,
      due_at: timer.dueAt,
    });
  });
}

export async function finishTimer(
  db: Db,
  fence: Fence,
  timer: { number: number; completionNumber: number; completedAt: Date },
): Promise<void> {
  await fenced(db, fence, async (tx) => {
    await tx('code_run_timers')
      .where({ code_run_id: fence.codeRunId, number: timer.number })
      .update({ completion_number: timer.completionNumber, completed_at: timer.completedAt });
  });
}

async function fenced(db: Db, fence: Fence, write: (tx: Db) => Promise<void>): Promise<void> {
  await db.transaction(async (tx) => {
    one(await heldBy(tx, fence).forShare());
    await write(tx);
  });
}

function heldBy(db: Db, fence: Fence) {
  return db('code_runs').select('id').where({ id: fence.codeRunId, pass_number: fence.passNumber });
}

function one<Row>(rows: Row[]): Row {
  const [row] = rows;
  if (!row) throw new PassReplacedError('another pass has taken over');
  return row;
}

import type { Call, CallEntry, CallOutcome, CallStatus, RecordedCall } from '../domain/call.ts';
import { IDEMPOTENCY_SECONDS } from '../domain/limits.ts';
import { factsToKeep } from '../domain/policies/recorded-facts.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { columns } from './columns.ts';
import { decodePayload, encodePayload } from './payload.ts';

/** The columns of a call without its outcome. */
export const ENTRY_COLUMNS = columns<CallEntry>(
  'id',
  'inputHash',
  'requestHash',
  'status',
  'integrationAlias',
  'integrationName',
  'actionName',
  'approvalId',
  'callNumber',
  'completionNumber',
  'startedAt',
  'finishedAt',
  'plannedCall',
  'startedMs',
);

const CALL_COLUMNS = [...ENTRY_COLUMNS, ...columns<RecordedCall>('outcome')];

type Row = Omit<RecordedCall, 'outcome'> & { outcome: Buffer | null };

/** Inserts a call that is about to run or was blocked, and returns its id. */
export async function insertCall(
  db: Db,
  call: Call,
  record: { inputHash: string; status: CallStatus; approvalId?: string | null; idempotencyKey?: string | null },
): Promise<string> {
  const [row] = await db('calls')
    .insert({
      ...rowOf(call),
      input_hash: record.inputHash,
      status: record.status,
      approval_id: record.approvalId ?? null,
      idempotency_key: record.idempotencyKey ?? null,
      facts: factsToKeep(call),
    })
    .returning('id');
  return row.id;
}

/** A call that ran without an approval. */
export interface FinishedCall {
  call: Call;
  inputHash: string;
  outcome: CallOutcome;
  startedAt: Date;
}

const FINISHED = {
  name: 'insert-finished-calls',
  text: `insert into calls (org_id, workspace_id, source, mcp_server_id, workspace_integration_id, integration_name, integration_alias, action_name,
           end_user_id, connection_id, requested_by_type, requested_by_id, input_hash, status, started_at, facts, finished_at)
         select org_id, workspace_id, source, mcp_server_id, workspace_integration_id, integration_name, integration_alias, action_name,
           end_user_id, connection_id, requested_by_type, requested_by_id, input_hash, status, started_at, facts::jsonb, now()
         from json_to_recordset($1) as given (org_id uuid, workspace_id uuid, source text, mcp_server_id uuid, workspace_integration_id uuid,
           integration_name text, integration_alias text, action_name text, end_user_id text, connection_id uuid, requested_by_type text,
           requested_by_id text, input_hash text, status text, started_at timestamptz, facts text)`,
};

/** Records calls that ran without an approval: all of them or, on an error, none. */
export async function insertFinishedCalls(db: Db, finished: readonly FinishedCall[]): Promise<void> {
  const rows = finished.map(({ call, inputHash, outcome, startedAt }) => ({
    ...rowOf(call),
    input_hash: inputHash,
    status: statusOf(outcome),
    started_at: startedAt,
    facts: factsToKeep(call),
  }));
  await runPrepared(db, FINISHED, [JSON.stringify(rows)]);
}

/** Notification channel: a call has ended. The payload is the id of the call. */
export const CALL_FINISHED = 'call_finished';

const FINISH = {
  name: 'finish-call',
  text: `with finished as (
           update calls set status = $2, outcome = $3, finished_at = now() where id = $1 and status in ('executing', 'unknown') and outcome is null returning id)
         select pg_notify('${CALL_FINISHED}', id::text) from finished`,
};

/** Records the outcome of an executing or unknown call, and notifies waiting callers. */
export async function finishCall(db: Db, id: string, outcome: CallOutcome): Promise<void> {
  await runPrepared(db, FINISH, [id, statusOf(outcome), encodePayload(outcome)]);
}

/** A call with an unknown outcome. */
export interface LostCall {
  orgId: string;
  workspaceId: string;
  approvalId: string | null;
  codeRunId: string | null;
  integrationName: string;
  actionName: string;
}

/**
 * Marks the outcome of an executing call as unknown. Returns undefined if the call is not
 * executing.
 */
export async function markCallUnknown(db: Db, id: string): Promise<LostCall | undefined> {
  const [row] = await db('calls')
    .where({ id, status: 'executing' })
    .update({ status: 'unknown', finished_at: db.fn.now() })
    .returning(columns<LostCall>('orgId', 'workspaceId', 'approvalId', 'codeRunId', 'integrationName', 'actionName'));
  return row;
}

/** The progress of a call. */
export interface CallProgress {
  status: CallStatus;
  /** Milliseconds since the start of the call, by the database clock. */
  elapsedMs: number;
  /** True if the process that makes the call has ended, or has lost its database connection. */
  isAbandoned: boolean;
  outcome: CallOutcome | null;
}

const PROGRESS = {
  name: 'call-progress',
  text: `select status, outcome, extract(epoch from now() - started_at)::float8 * 1000 as "elapsedMs",
           status = 'executing' and process_lock is not null and pg_try_advisory_xact_lock_shared(process_lock) as "isAbandoned"
         from calls where id = $1`,
};

/**
 * Returns ids of executing calls that started more than a minute ago and whose process has ended or
 * lost its database connection.
 */
export async function listAbandonedCallIds(db: Db, limit: number): Promise<string[]> {
  return db('calls')
    .where({ status: 'executing' })
    .whereNotNull('process_lock')
    .andWhereRaw("started_at < now() - interval '1 minute'")
    .andWhereRaw('pg_try_advisory_xact_lock_shared(process_lock)')
    .limit(limit)
    .pluck('id');
}

/** Returns ids of executing calls that started more than 10 minutes ago and whose run has ended. */
export async function listOrphanedCallIds(db: Db, limit: number): Promise<string[]> {
  return db('calls')
    .where({ status: 'executing' })
    .whereNotNull('code_run_id')
    .andWhereRaw("started_at < now() - interval '10 minutes'")
    .whereExists(db('code_runs').whereRaw('id = calls.code_run_id').whereNotNull('finished_at'))
    .limit(limit)
    .pluck('id');
}

/** Returns the progress of a call. */
export async function findCallProgress(db: Db, id: string): Promise<CallProgress | undefined> {
  const [row] = await runPrepared<Omit<CallProgress, 'outcome'> & { outcome: Buffer | null }>(db, PROGRESS, [id]);
  return row && { ...row, outcome: row.outcome && decodePayload<CallOutcome>(row.outcome) };
}

export async function findCall(db: Db, id: string): Promise<RecordedCall | undefined> {
  return toCall(await db('calls').select(CALL_COLUMNS).where({ id }).first());
}

export async function findCallByApproval(db: Db, approvalId: string): Promise<RecordedCall | undefined> {
  return toCall(await db('calls').select(CALL_COLUMNS).where({ approval_id: approvalId }).whereNull('code_run_id').first());
}

/** Finds the workspace's call with this idempotency key, if it started within the last 24 hours. */
export async function findCallByKey(db: Db, workspaceId: string, idempotencyKey: string): Promise<RecordedCall | undefined> {
  return toCall(
    await db('calls')
      .select(CALL_COLUMNS)
      .where({ workspace_id: workspaceId, idempotency_key: idempotencyKey })
      .andWhereRaw("started_at > now() - ? * interval '1 second'", [IDEMPOTENCY_SECONDS])
      .first(),
  );
}

/** Releases an idempotency key if its call started more than 24 hours ago. */
export async function releaseOldKey(db: Db, workspaceId: string, idempotencyKey: string): Promise<void> {
  await db('calls')
    .where({ workspace_id: workspaceId, idempotency_key: idempotencyKey })
    .andWhereRaw("started_at <= now() - ? * interval '1 second'", [IDEMPOTENCY_SECONDS])
    .update({ idempotency_key: null });
}

function rowOf(call: Call) {
  return {
    org_id: call.orgId,
    workspace_id: call.workspaceId,
    source: call.source,
    mcp_server_id: call.mcpServerId,
    workspace_integration_id: call.workspaceIntegrationId,
    integration_name: call.integrationName,
    integration_alias: call.integrationAlias,
    action_name: call.actionName,
    end_user_id: call.endUserId,
    connection_id: call.connectionId,
    requested_by_type: call.requestedBy.type,
    requested_by_id: call.requestedBy.id,
    code_run_id: call.run?.codeRunId ?? null,
    call_number: call.run?.callNumber ?? null,
    request_hash: call.run?.requestHash ?? call.requestHash ?? null,
    ...(call.attempt && { id: call.attempt.callId, process_lock: call.attempt.processLock }),
  };
}

function statusOf(outcome: CallOutcome): CallStatus {
  return outcome.ok ? 'succeeded' : 'failed';
}

function toCall(row: Row | undefined): RecordedCall | undefined {
  return row && { ...row, outcome: row.outcome && decodePayload<CallOutcome>(row.outcome) };
}

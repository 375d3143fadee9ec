import type { Approval } from '../domain/approval.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { columns } from './columns.ts';

/** A committed change that Temporal must still be notified of. */
export interface OutboxEntry {
  id: number;
  kind: 'approval-requested' | 'approval-settled' | 'run-resumed';
  approvalId: string;
}

export type NewOutboxEntry = Omit<OutboxEntry, 'id'>;

const COLUMNS = columns<OutboxEntry>('id', 'kind', 'approvalId');

export async function insertOutbox(db: Db, entry: NewOutboxEntry): Promise<void> {
  await db('outbox').insert({ kind: entry.kind, approval_id: entry.approvalId });
}

/**
 * Notification channel: an approval of a code run is settled, or the run is resumed. The payload is
 * the id of the run.
 */
export const RUN_APPROVAL_SETTLED = 'run_approval_settled';

/**
 * Inserts the outbox entry of a settled approval, and notifies processes if the approval belongs to
 * a run. Returns true if a request waits for the run.
 */
export async function insertSettled(db: Db, approval: Pick<Approval, 'id' | 'codeRunId'>): Promise<boolean> {
  const entry = db('outbox').insert({ kind: 'approval-settled', approval_id: approval.id });
  if (!approval.codeRunId) {
    await entry;
    return false;
  }
  const notified = db.raw('pg_notify(?, ?)', [RUN_APPROVAL_SETTLED, approval.codeRunId]);
  const awaited = db('code_runs').select(db.raw('awaited_until > now()')).where({ id: approval.codeRunId });
  const [row] = await db.with('entry', entry).select(notified, awaited.as('isAwaited')).options({ name: 'insert-settled' });
  return row.isAwaited === true;
}

const RESUMED = {
  name: 'insert-resumed',
  text: `with resumed as (
           update code_runs
           set awaited_until = greatest(awaited_until, now() + $4 * interval '1 second'), resumed_pass_number = pass_number
           where id = $2 and pass_number = $3 and status = 'waiting' and resumed_pass_number is distinct from pass_number
           returning id),
         entry as (insert into outbox (kind, approval_id) select 'run-resumed', $1 from resumed)
         select pg_notify('${RUN_APPROVAL_SETTLED}', id) from resumed`,
};

/** A run that its caller continues after pass `passNumber`. `approvalId`: one of its approvals. */
export interface ResumedRun {
  approvalId: string;
  codeRunId: string;
  passNumber: number;
}

/**
 * Marks a waiting run as awaited for `seconds`, and inserts the outbox entry for its workflow.
 * Returns false, and changes nothing, if the run no longer waits after pass `passNumber`, or was
 * already resumed.
 */
export async function insertResumed(db: Db, { approvalId, codeRunId, passNumber }: ResumedRun, seconds: number): Promise<boolean> {
  return (await runPrepared(db, RESUMED, [approvalId, codeRunId, passNumber, seconds])).length > 0;
}

/**
 * Locks and returns entries after `afterId` that are at least `olderThanSeconds` old, oldest first.
 * Skips entries that another transaction has locked.
 */
export async function lockOutbox(
  db: Db,
  { olderThanSeconds, afterId, limit }: { olderThanSeconds: number; afterId: number; limit: number },
): Promise<OutboxEntry[]> {
  return db('outbox')
    .select(COLUMNS)
    .whereRaw("created_at <= now() - ? * interval '1 second'", [olderThanSeconds])
    .andWhere('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked();
}

/** Deletes the entries of these approvals and kinds. */
export async function deleteOutbox(db: Db, entries: readonly NewOutboxEntry[]): Promise<void> {
  const keys = db.raw('select * from unnest(?::text[], ?::text[])', [
    entries.map(({ approvalId }) => approvalId),
    entries.map(({ kind }) => kind),
  ]);
  await db('outbox').whereRaw('(approval_id, kind) in (?)', [keys]).delete().options({ name: 'delete-outbox' });
}

/** Deletes entries that Temporal was notified of. */
export async function deleteSentOutbox(db: Db, sent: readonly OutboxEntry[]): Promise<void> {
  const ids = sent.map(({ id }) => id);
  if (ids.length > 0) await db('outbox').whereIn('id', ids).delete();
}

import type { Approval } from '../domain/approval.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { columns } from './columns.ts';

/** A committed change that Temporal must still be notified of. */
export interface OutboxEntry {
  id: number;
  kind: 'approval-requested' | 'approval-settled';
  approvalId: string;
}

export type NewOutboxEntry = Omit<OutboxEntry, 'id'>;

const COLUMNS = columns<OutboxEntry>('id', 'kind', 'approvalId');

export async function insertOutbox(db: Db, entry: NewOutboxEntry): Promise<void> {
  await db('outbox').insert({ kind: entry.kind, approval_id: entry.approvalId });
}

/** Notification channel: an approval of a code run is settled. The payload is the id of the run. */
export const RUN_APPROVAL_SETTLED = 'run_approval_settled';

/**
 * Inserts the outbox entry in the transaction that settles an approval, and notifies processes that
 * wait for its run. Returns true if a continuation waits for the run.
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
  text: `with entry as (insert into outbox (kind, approval_id) values ('approval-settled', $1)),
           awaited as (update code_runs set awaited_until = greatest(awaited_until, now() + $3 * interval '1 second') where id = $2)
         select pg_notify('${RUN_APPROVAL_SETTLED}', $2)`,
};

/**
 * Marks the run of a settled approval as awaited for `seconds`, and notifies workers. Inserts an
 * outbox entry, so that the workflow of the run gets the signal again.
 */
export async function insertResumed(
  db: Db,
  { approvalId, codeRunId }: { approvalId: string; codeRunId: string },
  seconds: number,
): Promise<void> {
  await runPrepared(db, RESUMED, [approvalId, codeRunId, seconds]);
}

/**
 * Returns the oldest entries that are at least `olderThanSeconds` old, and locks them until the
 * transaction ends. Skips entries that another transaction has locked.
 */
export async function lockOutbox(db: Db, { olderThanSeconds, limit }: { olderThanSeconds: number; limit: number }): Promise<OutboxEntry[]> {
  return db('outbox')
    .select(COLUMNS)
    .whereRaw("created_at <= now() - ? * interval '1 second'", [olderThanSeconds])
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked();
}

/** Deletes the entries of these approvals and kinds, in one statement. */
export async function deleteOutbox(db: Db, entries: readonly NewOutboxEntry[]): Promise<void> {
  const keys = db.raw('select * from unnest(?::text[], ?::text[])', [
    entries.map(({ approvalId }) => approvalId),
    entries.map(({ kind }) => kind),
  ]);
  await db('outbox').whereRaw('(approval_id, kind) in (?)', [keys]).delete().options({ name: 'delete-outbox' });
}

/** Deletes these entries after Temporal was notified of them, in one statement. */
export async function deleteSentOutbox(db: Db, sent: readonly OutboxEntry[]): Promise<void> {
  const ids = sent.map(({ id }) => id);
  if (ids.length > 0) await db('outbox').whereIn('id', ids).delete();
}

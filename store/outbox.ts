import type { Approval } from '../domain/approval.ts';
import type { Db } from '../infra/database.ts';
import { columns } from './columns.ts';

/** Something committed that Temporal has still to be told. */
export interface OutboxEntry {
  id: number;
  kind: 'approval-requested' | 'approval-settled';
  subjectId: string;
}

const COLUMNS = columns<OutboxEntry>('id', 'kind', 'subjectId');

export async function insertOutbox(db: Db, entry: Omit<OutboxEntry, 'id'>): Promise<void> {
  await db('outbox').insert({ kind: entry.kind, subject_id: entry.subjectId });
}

/** The channel on which a settled approval of a code run is told, with the run's id. */
export const RUN_APPROVAL_SETTLED = 'run_approval_settled';

/**
 * Leaves word, in the transaction that settles an approval: for Temporal in the outbox, and for those who wait for its run by a notice. Answers whether
 * somebody waits for it at this moment.
 */
export async function insertSettled(db: Db, approval: Pick<Approval, 'id' | 'codeRunId'>): Promise<boolean> {
  const entry = db('outbox').insert({ kind: 'approval-settled', subject_id: approval.id });
  if (!approval.codeRunId) {
    await entry;
    return false;
  }
  const told = db.raw('pg_notify(?, ?)', [RUN_APPROVAL_SETTLED, approval.codeRunId]);
  const awaited = db('code_runs').select(db.raw('awaited_until > now()')).where({ id: approval.codeRunId });
  const [row] = await db.with('entry', entry).select(told, awaited.as('isAwaited')).options({ name: 'insert-settled' });
  return row.isAwaited === true;
}

/** The oldest entries of at least this age, locked and unseen by other relays until the transaction ends. */
export async function lockOutbox(db: Db, { olderThanSeconds, limit }: { olderThanSeconds: number; limit: number }): Promise<OutboxEntry[]> {
  return db('outbox')
    .select(COLUMNS)
    .whereRaw("created_at <= now() - ? * interval '1 second'", [olderThanSeconds])
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked();
}

export async function deleteOutbox(db: Db, entry: Omit<OutboxEntry, 'id'>): Promise<void> {
  await db('outbox').where({ kind: entry.kind, subject_id: entry.subjectId }).delete();
}

import { batchCalls } from '../../infra/concurrency/batch-calls.ts';
import type { Db } from '../../infra/database.ts';
import { deleteOutbox, type NewOutboxEntry } from '../../store/outbox.ts';

/** Deletes an entry of the outbox. Called after Temporal was notified. */
export type OutboxDeleter = (entry: NewOutboxEntry) => Promise<void>;

/**
 * Opens the deleter of one process. Deletes the entries of concurrent calls together, because each
 * commit waits for the disk.
 */
export function openOutboxDeleter(db: Db): OutboxDeleter {
  return batchCalls(async (entries: NewOutboxEntry[]) => {
    await deleteOutbox(db, entries);
    return () => {};
  });
}

import { batchCalls } from '../../infra/concurrency/batch-calls.ts';
import type { Db } from '../../infra/database.ts';
import { deleteOutbox, type NewOutboxEntry } from '../../store/outbox.ts';

/** Deletes an entry of the outbox. */
export type OutboxDeleter = (entry: NewOutboxEntry) => Promise<void>;

/** Opens the deleter of one process. Concurrent calls share a commit, which waits for the disk. */
export function openOutboxDeleter(db: Db): OutboxDeleter {
  return batchCalls(async (entries: NewOutboxEntry[]) => {
    await deleteOutbox(db, entries);
    return () => {};
  });
}

import { batchCalls } from '../../infra/concurrency/batch-calls.ts';
import type { Db } from '../../infra/database.ts';
import { deleteOutbox, type NewOutboxEntry } from '../../store/outbox.ts';

/** Deletes an entry of the outbox that Temporal was told. */
export type OutboxDeleter = (entry: NewOutboxEntry) => Promise<void>;

/** Entries that are told at the same time are deleted together: each commit waits for the disk. */
export function openOutboxDeleter(db: Db): OutboxDeleter {
  return batchCalls(async (entries: NewOutboxEntry[]) => {
    await deleteOutbox(db, entries);
    return () => {};
  });
}

import type { EndUser } from '../../domain/end-user.ts';
import { batchWrites } from '../../infra/concurrency/batch-writes.ts';
import { type Db, isDatabaseUnavailable } from '../../infra/database.ts';
import { type CreatedEndUser, insertEndUsers } from '../../store/end-users.ts';

/**
 * Inserts an end user with its event. Resolves with undefined, and records nothing, if the
 * workspace is gone or already has the externalId.
 */
export type EndUserInserter = (created: CreatedEndUser) => Promise<EndUser | undefined>;

/** Opens the inserter of one process. Concurrent inserts share a statement. */
export function openEndUserInserter(db: Db): EndUserInserter {
  return batchWrites((created: readonly CreatedEndUser[]) => insertEndUsers(db, created), { isLost: isDatabaseUnavailable });
}

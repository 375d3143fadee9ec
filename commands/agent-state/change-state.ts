import type { Knex } from 'knex';
import { withKeyLock } from '../../infra/concurrency/key-lock.ts';
import type { Db } from '../../infra/database.ts';
import type { StateOwner } from '../../store/kv-entries.ts';
import { lockState, nameOfState, type StateKind } from '../../store/state-owner.ts';

/**
 * Runs `work` in a transaction. Serializes the changes of one owner and kind across all processes.
 */
export function changeState<Result>(
  db: Db,
  kind: StateKind,
  owner: StateOwner,
  work: (tx: Knex.Transaction) => Promise<Result>,
): Promise<Result> {
  const transact = () =>
    db.transaction(async (tx) => {
      await lockState(tx, kind, owner);
      return work(tx);
    });
  return withKeyLock(nameOfState(kind, owner), transact);
}

import type { Knex } from 'knex';
import type { Db } from '../infra/database.ts';
import type { StateOwner } from '../store/kv-entries.ts';
import { lockState, nameOfState, type StateKind } from '../store/state-owner.ts';
import { inTurn } from './in-turn.ts';

/** Runs a change of what one owner keeps in one transaction; such changes come one after another, in whatever process. */
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
  return inTurn(nameOfState(kind, owner), transact);
}

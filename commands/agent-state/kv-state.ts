import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import { ActionError, type KvState } from '../../integrations/definition.ts';
import {
  deleteKvEntry,
  findKvEntry,
  lockKvEntry,
  lockOrInsertKvEntry,
  putKvEntry,
  type StateOwner,
  updateKvEntry,
} from '../../store/kv-entries.ts';
import type { StateHost } from './state-host.ts';
import { withinStorageQuota } from './within-storage-quota.ts';

const VALUE_MAX_BYTES = 1024 * 1024;
const LIST_MAX_ITEMS = 10_000;

/** The values of one owner, by key. Concurrent changes to one list are all applied. */
export function openKvState({ db, config }: Pick<StateHost, 'db' | 'config'>, owner: StateOwner): KvState {
  const quota = config.quotas.storageBytes;
  const written = (value: unknown) => ({ json: toJson(value), quota });
  const transact = <Value>(work: (tx: Knex.Transaction) => Promise<Value>) => withinStorageQuota(quota, () => db.transaction(work));
  return {
    get: (key) => findKvEntry(db, owner, key),
    put: (key, value) => withinStorageQuota(quota, async () => putKvEntry(db, owner, key, written(value))),
    delete: (key) => deleteKvEntry(db, owner, key),

    addToList: (key, value) =>
      transact(async (tx) => {
        // Most lists exist, and locking a list costs less than trying to insert it.
        const entry = await lockKvEntry(tx, owner, key);
        const list = asList(entry ? entry.value : await lockOrInsertKvEntry(tx, owner, key, written([])), key);
        if (list.length >= LIST_MAX_ITEMS)
          throw new ActionError(`The list under ${JSON.stringify(key)} is full: it holds ${LIST_MAX_ITEMS} items.`);
        await updateKvEntry(tx, owner, key, written([...list, value]));
        return { length: list.length + 1 };
      }),

    removeFromList: (key, value) =>
      transact(async (tx) => {
        const entry = await lockKvEntry(tx, owner, key);
        if (!entry) return { removed: 0, length: 0 };
        const list = asList(entry.value, key);
        const kept = list.filter((item) => !isDeepStrictEqual(item, value));
        if (kept.length < list.length) await updateKvEntry(tx, owner, key, written(kept));
        return { removed: list.length - kept.length, length: kept.length };
      }),
  };
}

function toJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (Buffer.byteLength(json) > VALUE_MAX_BYTES)
    throw new ActionError(`The value is too large: at most ${VALUE_MAX_BYTES} bytes of JSON can be kept under one key.`);
  return json;
}

function asList(value: unknown, key: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new ActionError(`The value under ${JSON.stringify(key)} is not a list. Delete it first, or use another key.`);
}

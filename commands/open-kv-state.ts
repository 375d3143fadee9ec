import { isDeepStrictEqual } from 'node:util';
import type { Db } from '../infra/database.ts';
import { ActionError, type KvState } from '../integrations/definition.ts';
import {
  deleteKvEntry,
  findKvEntry,
  lockKvEntry,
  lockOrInsertKvEntry,
  putKvEntry,
  type StateOwner,
  updateKvEntry,
} from '../store/kv-entries.ts';

const VALUE_MAX_BYTES = 1024 * 1024;
const LIST_MAX_ITEMS = 10_000;

/** Values by key for one owner. Two calls that change one list at the same time both count. */
export function openKvState(db: Db, owner: StateOwner): KvState {
  return {
    get: (key) => findKvEntry(db, owner, key),
    put: async (key, value) => putKvEntry(db, owner, key, toJson(value)),
    delete: (key) => deleteKvEntry(db, owner, key),

    addToList: (key, value) =>
      db.transaction(async (tx) => {
        const list = asList(await lockOrInsertKvEntry(tx, owner, key, '[]'), key);
        if (list.length >= LIST_MAX_ITEMS)
          throw new ActionError(`The list under ${JSON.stringify(key)} is full: it holds ${LIST_MAX_ITEMS} items.`);
        await updateKvEntry(tx, owner, key, toJson([...list, value]));
        return { length: list.length + 1 };
      }),

    removeFromList: (key, value) =>
      db.transaction(async (tx) => {
        const entry = await lockKvEntry(tx, owner, key);
        if (!entry) return { removed: 0, length: 0 };
        const list = asList(entry.value, key);
        const kept = list.filter((item) => !isDeepStrictEqual(item, value));
        if (kept.length < list.length) await updateKvEntry(tx, owner, key, toJson(kept));
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

import { LRUCache } from 'lru-cache';

interface Entry<Value> {
  version: number;
  value: Promise<Value>;
}

interface Limits<Value> {
  /** Number of entries. */
  max: number;
  /** Limit of the sizes of all values together; absent: no such limit. */
  size?: { max: number; of(value: Value): number };
}

/**
 * Caches the latest version of a value by key. The least recently used entries are dropped first.
 */
export class VersionedCache<Value> {
  readonly #entries: LRUCache<string, Entry<Value>>;
  readonly #size: Limits<Value>['size'];

  constructor({ max, size }: Limits<Value>) {
    this.#size = size;
    this.#entries = new LRUCache({ max, ...(size && { maxSize: size.max }) });
  }

  /**
   * Returns the value of that version or a later one, and loads it if needed. Concurrent callers
   * share one load. A failed load is not kept.
   */
  get(key: string, version: number, load: () => Promise<Value>): Promise<Value> {
    const known = this.#entries.get(key);
    if (known && known.version >= version) return known.value;
    const entry = { version, value: load() };
    this.#set(key, entry, 1);
    const isCurrent = () => this.#entries.peek(key) === entry;
    entry.value.then(
      // A copy, since setting the same object would not update its size.
      (value) => this.#size && isCurrent() && this.#set(key, { ...entry }, this.#size.of(value)),
      () => isCurrent() && this.#entries.delete(key),
    );
    return entry.value;
  }

  #set(key: string, entry: Entry<Value>, size: number): void {
    this.#entries.set(key, entry, this.#size ? { size } : {});
  }
}

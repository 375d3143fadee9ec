import { LRUCache } from 'lru-cache';

interface Entry<Value> {
  version: number;
  value: Promise<Value>;
}

interface Limits<Value> {
  max: number;
  /** Default: no limit. */
  size?: { max: number; of(value: Value): number };
}

/** Caches the latest version of each key's value. */
export class VersionedCache<Value> {
  readonly #entries: LRUCache<string, Entry<Value>>;
  readonly #size: Limits<Value>['size'];

  constructor({ max, size }: Limits<Value>) {
    this.#size = size;
    this.#entries = new LRUCache({ max, ...(size && { maxSize: size.max }) });
  }

  /**
   * Returns the value of this version or a later one. Concurrent callers share one load. A failed
   * load is not cached.
   */
  get(key: string, version: number, load: () => Promise<Value>): Promise<Value> {
    const known = this.#entries.get(key);
    if (known && known.version >= version) return known.value;
    const entry = { version, value: load() };
    this.#set(key, entry, 1);
    const isCurrent = () => this.#entries.peek(key) === entry;
    entry.value.then(
      // Sets a copy: setting the same object again would not update the size of the entry.
      (value) => this.#size && isCurrent() && this.#set(key, { ...entry }, this.#size.of(value)),
      () => isCurrent() && this.#entries.delete(key),
    );
    return entry.value;
  }

  #set(key: string, entry: Entry<Value>, size: number): void {
    this.#entries.set(key, entry, this.#size ? { size } : {});
  }
}

export interface PoolSize {
  /** The target without load. */
  least: number;
  /** The largest target, after shortages. */
  most: number;
  /** The target shrinks by one after this time without a shortage. Default: 30 s. */
  calmMs?: number | undefined;
}

/**
 * The number of idle runners that a pool keeps ready. It grows by one at each shortage, and shrinks
 * by one after each period without a shortage.
 */
export class PoolTarget {
  #size: number;
  #calm: NodeJS.Timeout | undefined;
  readonly #bounds: Required<PoolSize>;
  readonly #onShrink: () => void;

  constructor({ calmMs = 30_000, ...bounds }: PoolSize, onShrink: () => void) {
    this.#bounds = { ...bounds, calmMs };
    this.#size = bounds.least;
    this.#onShrink = onShrink;
  }

  get size(): number {
    return this.#size;
  }

  grow(): void {
    this.#calm?.refresh();
    if (this.#size === this.#bounds.most) return;
    this.#size += 1;
    this.#calm ??= setInterval(() => this.#shrink(), this.#bounds.calmMs).unref();
  }

  close(): void {
    clearInterval(this.#calm);
    this.#calm = undefined;
  }

  #shrink(): void {
    this.#size -= 1;
    if (this.#size === this.#bounds.least) this.close();
    this.#onShrink();
  }
}

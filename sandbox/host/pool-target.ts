export interface PoolSize {
  /** The number of idle runners kept ready without load. */
  least: number;
  /** The maximum number of idle runners, after many were needed in parallel. */
  most: number;
  /** The target shrinks by one after this time without a shortage. Default: half a minute. */
  calmMs?: number | undefined;
}

/**
 * How many idle runners a pool keeps ready: one more after each shortage, one fewer after each idle
 * period, within the bounds of the pool's size.
 */
export class PoolTarget {
  #size: number;
  #calm: NodeJS.Timeout | undefined;
  readonly #bounds: Required<PoolSize>;
  readonly #onShrink: () => void;

  /** `onShrink` is called after each step down. */
  constructor({ calmMs = 30_000, ...bounds }: PoolSize, onShrink: () => void) {
    this.#bounds = { ...bounds, calmMs };
    this.#size = bounds.least;
    this.#onShrink = onShrink;
  }

  get size(): number {
    return this.#size;
  }

  /** Called for each shortage. Restarts the idle period. */
  grow(): void {
    if (this.#size === this.#bounds.most) return;
    this.#size += 1;
    this.#calm?.refresh();
    this.#calm ??= setInterval(() => this.#shrink(), this.#bounds.calmMs).unref();
  }

  /** Stops shrinking the target. */
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

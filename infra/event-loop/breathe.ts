/** Milliseconds that work may block the event loop before the work yields. */
const TURN_MS = 4;

/** Milliseconds after a large input during which all work yields at every `breathe`. */
const LARGE_MS = 2000;

let startedAt: number | undefined;
let largeUntil = 0;

/**
 * Records that a large input arrived: for the next two seconds, every `breathe` yields to the event
 * loop.
 */
export function noteLargeInput(): void {
  largeUntil = performance.now() + LARGE_MS;
}

/** Whether a large input arrived within the last two seconds. */
export function hasLargeInput(): boolean {
  return performance.now() <= largeUntil;
}

/**
 * Yields if this turn of the event loop has taken too long, or if a large input arrived lately.
 * Work whose size a caller decides awaits `breathe()` between its parts. Returns undefined early in
 * a turn, so that small work is not delayed.
 */
export function breathe(): Promise<void> | undefined {
  const now = performance.now();
  // The first call of a turn starts the measurement of that turn.
  if (startedAt === undefined && now > largeUntil) {
    startedAt = now;
    setImmediate(() => {
      startedAt = undefined;
    });
    return undefined;
  }
  if (startedAt !== undefined && now - startedAt < TURN_MS && now > largeUntil) return undefined;
  return new Promise((resolve) => setImmediate(resolve));
}

/** Milliseconds that work may block the event loop before it yields. */
const TURN_MS = 4;

/** After a large input, all work yields more often for this long, in milliseconds. */
const LARGE_MS = 2000;

let startedAt: number | undefined;
let largeUntil = 0;

/**
 * Notes the arrival of a large input, so that its next steps do not run in the same turn of the
 * event loop.
 */
export function noteLargeInput(): void {
  largeUntil = performance.now() + LARGE_MS;
}

/** Whether a large input arrived within the last two seconds. */
export function hasLargeInput(): boolean {
  return performance.now() <= largeUntil;
}

/**
 * Yields to the event loop if needed. Await it between parts of work whose size a caller decides.
 * Returns undefined when the loop has just turned, so that small work is not delayed.
 */
export function breathe(): Promise<void> | undefined {
  const now = performance.now();
  // Before the first call of a turn, its duration so far is unknown.
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

/** How long work may block the event loop before it yields. */
const TURN_MS = 4;

const LARGE_MS = 2000;

let startedAt: number | undefined;
let largeUntil = 0;

/** Records that a large input arrived. For the next two seconds, every `breathe` yields. */
export function noteLargeInput(): void {
  largeUntil = performance.now() + LARGE_MS;
}

/** Whether a large input arrived within the last two seconds. */
export function hasLargeInput(): boolean {
  return performance.now() <= largeUntil;
}

/**
 * Yields if this turn of the event loop has taken too long, or if a large input arrived lately.
 * Work whose size a caller decides awaits `breathe()` between its parts.
 */
export function breathe(): Promise<void> | undefined {
  const now = performance.now();
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

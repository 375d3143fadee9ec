/**
 * Runs `turn` now and every `everyMs` milliseconds until stopped. Skips a turn while the previous
 * turn is running. `turn` must handle its own errors. `stop` resolves when the running turn has
 * ended.
 */
export function startRepeating(everyMs: number, turn: () => Promise<void>): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  const next = () => {
    running ??= turn().finally(() => {
      running = undefined;
    });
  };
  next();
  const timer = setInterval(next, everyMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}

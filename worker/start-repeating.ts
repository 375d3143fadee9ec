/**
 * Runs `turn` now and every `everyMs` milliseconds, except while the previous turn runs. `turn`
 * must handle its own errors. `stop` resolves when the running turn has ended.
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

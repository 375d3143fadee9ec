/**
 * Runs `turn` now and every `everyMs` milliseconds, one turn after another, until stopped. `turn`
 * must handle its own errors. `stop` resolves when the last turn has ended.
 */
export function startRepeating(everyMs: number, turn: () => Promise<void>): { stop(): Promise<void> } {
  let turns = Promise.resolve();
  const next = () => {
    turns = turns.then(turn);
  };
  next();
  const timer = setInterval(next, everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      return turns;
    },
  };
}

/**
 * Returns a function that runs `work`, but never twice at the same time. All calls during a run
 * together cause one further run. The promise of a call resolves when no further run is due. If a
 * run fails, all waiting calls reject, and the further run is dropped.
 */
export function coalesceCalls(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let isRequested = false;
  return () => {
    isRequested = true;
    running ??= (async () => {
      try {
        while (isRequested) {
          isRequested = false;
          await work();
        }
      } finally {
        running = undefined;
      }
    })();
    return running;
  };
}

/**
 * Runs `work` one at a time. All calls during a run together cause one further run. Their promise
 * resolves when that further run is over.
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

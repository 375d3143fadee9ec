/**
 * Returns a function that runs `work`, but never twice at the same time. All calls during a run
 * cause one further run. If a run fails, all waiting calls reject.
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

/** The timers of a pass. Each is due when the run has been at work for so long, and they come in the order in which they are due. */
export interface PassTimers {
  /** Resolves when the running time is `dueMs`, after all that are due before; never after `close`. */
  until(dueMs: number): Promise<void>;
  close(): void;
}

/** `nowMs` tells the running time of the run, in milliseconds. */
export function openPassTimers(nowMs: () => number): PassTimers {
  const waiting: { dueMs: number; resolve: () => void }[] = [];
  let alarm: NodeJS.Timeout | undefined;

  const ring = () => {
    while (waiting[0] && waiting[0].dueMs <= nowMs()) waiting.shift()!.resolve();
    clearTimeout(alarm);
    if (waiting[0]) alarm = setTimeout(ring, Math.max(0, Math.ceil(waiting[0].dueMs - nowMs())));
  };

  return {
    until(dueMs) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const later = waiting.findIndex((other) => other.dueMs > dueMs);
      waiting.splice(later < 0 ? waiting.length : later, 0, { dueMs, resolve });
      clearTimeout(alarm);
      alarm = setTimeout(ring, Math.max(0, Math.ceil(waiting[0]!.dueMs - nowMs())));
      return promise;
    },
    close() {
      clearTimeout(alarm);
      waiting.length = 0;
    },
  };
}

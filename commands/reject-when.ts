/** Rejects with the signal's reason once it is aborted; for racing against work that may not listen to the signal itself. */
export function rejectWhen(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

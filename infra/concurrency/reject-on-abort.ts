/**
 * Rejects with the signal's reason when the signal is aborted later. Never settles if the signal is
 * already aborted. Race the promise against work that may ignore the signal.
 */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/**
 * Returns a promise that rejects with the signal's reason when the signal is aborted. The promise
 * never settles if the signal was aborted before the call. Callers race the promise against work
 * that may ignore the signal.
 */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

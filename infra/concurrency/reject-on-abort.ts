/**
 * Returns a promise that rejects with the signal's reason. The promise never settles if the signal
 * was aborted before the call.
 */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

import { setTimeout as delay } from 'node:timers/promises';

/**
 * Sends an idempotent request, and sends it again after an outage of the service. Rejects with an
 * error that no outage caused.
 */
export async function retryAfterOutage<Value>(url: string, say: (line: string) => void, ask: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isUnavailable(error) && (await isReady(url))) throw error;
    }
    if (await isReady(url)) continue;
    say('The service is unavailable. Waiting until it is back …');
    while (!(await isReady(url))) await delay(500);
    say('It is back.');
  }
}

/** Whether the service is ready. */
export async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(5000) }).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.ok ?? false;
}

/** Whether the service is unavailable. fetch gives the reason of a broken connection in `cause`. */
function isUnavailable(error: unknown): boolean {
  return (error instanceof TypeError && error.cause !== undefined) || /\b503\b|UNAVAILABLE/.test(String(error));
}

import { setTimeout as delay } from 'node:timers/promises';

/**
 * Runs an idempotent request, and repeats it when the service was away and is back. `say` reports
 * each outage. An error while the service is ready is thrown.
 */
export async function outlastRestarts<Value>(url: string, say: (line: string) => void, ask: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isAway(error) && (await isReady(url))) throw error;
    }
    if (await isReady(url)) continue;
    say('The service is away. Waiting until it is back …');
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

/**
 * A failed or broken connection (fetch gives the reason in `cause`), or a temporarily missing part
 * of the service.
 */
function isAway(error: unknown): boolean {
  return (error instanceof TypeError && error.cause !== undefined) || /\b503\b|UNAVAILABLE/.test(String(error));
}

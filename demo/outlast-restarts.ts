import { setTimeout as delay } from 'node:timers/promises';

/**
 * Does something with the service, and again when the service went away meanwhile and is back: for what may be asked twice. `say` is told
 * once for each time. What fails while the service is there is thrown.
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

/** Whether the service can do its work now. */
export async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(5000) }).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.ok ?? false;
}

/** A connection that could not be made or that broke (fetch tells why in `cause`), or a part of the service that was missing for a moment. */
function isAway(error: unknown): boolean {
  return (error instanceof TypeError && error.cause !== undefined) || /\b503\b|UNAVAILABLE/.test(String(error));
}

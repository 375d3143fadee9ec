import { setTimeout as delay } from 'node:timers/promises';
import { type ApiAnswer, type Caller, callerOf } from '../support/caller.ts';

/**
 * A caller that follows the documentation: it repeats a request unchanged after a 503 or a lost
 * answer.
 */
export interface PersistentCaller {
  post(path: string, body?: unknown): Promise<ApiAnswer>;
  get(path: string): Promise<ApiAnswer>;
}

const PATIENCE_MS = 90_000;

/**
 * The caller throws `ServerFault` after `patienceMs` (90 seconds by default), and immediately for
 * any 5xx other than 503.
 */
export function persistentCaller(apiUrl: string, key: string, patienceMs = PATIENCE_MS): PersistentCaller {
  const once = callerOf(apiUrl, key);
  const persist = async (what: string, ask: (api: Caller) => Promise<ApiAnswer>): Promise<ApiAnswer> => {
    let last = 'nothing';
    for (const end = Date.now() + patienceMs; Date.now() < end; await delay(100)) {
      try {
        const answer = await ask(once);
        if (answer.status < 500) return answer;
        last = `${answer.status} ${JSON.stringify(answer.body)}`;
        if (answer.status !== 503) throw new ServerFault(`${what} answered ${last}`);
      } catch (error) {
        if (error instanceof ServerFault) throw error;
        last = String(error);
      }
    }
    throw new ServerFault(`${what} got no answer; the last problem was ${last}`);
  };
  return {
    post: (path, body) => persist(`POST ${path}`, (api) => api.post(path, body)),
    get: (path) => persist(`GET ${path}`, (api) => api.get(path)),
  };
}

/** The API answered with an unexpected status, or did not answer in time. */
export class ServerFault extends Error {
  override name = 'ServerFault';
}

import { setTimeout as delay } from 'node:timers/promises';
import { type ApiAnswer, type Caller, callerOf } from '../support/caller.ts';

/** A caller as the documentation asks for: what got no answer, or a 503, is asked again, the same way. */
export interface PersistentCaller {
  post(path: string, body?: unknown): Promise<ApiAnswer>;
  get(path: string): Promise<ApiAnswer>;
}

const PATIENCE_MS = 90_000;

/** Throws for a 5xx that is no 503, which nobody is ever to get, and when nothing answers for a minute and a half or so long as is said. */
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
    throw new ServerFault(`${what} got no answer, at last ${last}`);
  };
  return {
    post: (path, body) => persist(`POST ${path}`, (api) => api.post(path, body)),
    get: (path) => persist(`GET ${path}`, (api) => api.get(path)),
  };
}

/** An answer that no caller is ever to get. */
export class ServerFault extends Error {
  override name = 'ServerFault';
}

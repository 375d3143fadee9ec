import { setTimeout as delay } from 'node:timers/promises';
import { isDatabaseAway } from '../infra/database.ts';

const FIRST_MS = 100;
const MOST_MS = 2000;

/** Does something again, and again, while the database is away, until `signal` is aborted. `again` says that an earlier attempt may have done it. */
export async function onceThere<Value>(signal: AbortSignal, work: (again: boolean) => Promise<Value>): Promise<Value> {
  for (let waitMs = 0; ; waitMs = Math.min(MOST_MS, waitMs * 2 || FIRST_MS)) {
    try {
      return await work(waitMs > 0);
    } catch (error) {
      if (!isDatabaseAway(error) || signal.aborted) throw error;
      await delay(waitMs || FIRST_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }
}

import { setTimeout as delay } from 'node:timers/promises';

/** In ms. Without a pause, the polling would take processor time from the process under test. */
const POLL_MS = 20;

/** Polls until `ask` returns a value other than false and undefined. Has no time limit. */
export async function until<Value>(ask: () => Promise<Value | undefined | false> | Value | undefined | false): Promise<Value> {
  for (;;) {
    const value = await ask();
    if (value !== undefined && value !== false) return value;
    await delay(POLL_MS);
  }
}

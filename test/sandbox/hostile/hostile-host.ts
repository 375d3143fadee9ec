import type { Completion, PassHost, SandboxEvent } from '../../../sandbox/host/pass.ts';
import { STARTED_AT } from '../a-sandbox.ts';

/** The aliases and actions that hostile programs can call. */
export const HOSTILE_SURFACE = { echo: ['say', 'fail', 'held'], 'state-kv': ['put', 'get', 'delete'], http: ['send_request'] };

/**
 * A host that answers each call with its input, in order. `echo.fail` fails. `echo.held` pauses the
 * pass after all other calls are answered.
 */
export function aHostileHost(): PassHost {
  const waiting: SandboxEvent[] = [];
  let now = STARTED_AT;
  return {
    onEvents: (events) => void waiting.push(...events),
    async nextCompletion() {
      const next = waiting.findIndex((event) => !isHeld(event));
      if (next < 0) return 'pause';
      const [event] = waiting.splice(next, 1);
      now += event!.kind === 'timer' ? event!.delayMs : 1;
      return answer(event!, now);
    },
  };
}

function isHeld(event: SandboxEvent): boolean {
  return event.kind === 'call' && event.action === 'held';
}

function answer(event: SandboxEvent, now: number): Completion {
  const { number } = event;
  if (event.kind === 'timer') return { number, now, ok: true, value: 'null' };
  if (event.action === 'fail') return { number, now, ok: false, error: { code: 'ACTION_FAILED', message: `failed with ${event.input}` } };
  return { number, now, ok: true, value: event.input };
}

import { openSandbox, type Sandbox } from '../../sandbox/host/open-sandbox.ts';
import type { Completion, PassHost, PassRequest, PassResult, SandboxEvent } from '../../sandbox/host/pass.ts';
import { readRunnable } from '../../sandbox/reader/read-code.ts';

/** The start of a pass on the clock of the run, in ms since 1970. */
export const STARTED_AT = Date.parse('2026-01-02T03:04:05.000Z');

/** The aliases and actions that the code can call. */
export const SURFACE = {
  'state-kv': ['put', 'get', 'delete'],
  http: ['send_request'],
  echo: ['say', 'fail'],
};

/** Opens a sandbox that logs nothing. */
export function aSandbox(options: { poolSize?: number; keptMost?: number } = {}): Sandbox {
  const silent = () => {};
  return openSandbox({ logger: { info: silent, warn: silent, error: silent } as never, ...options });
}

/** The principal that a pass belongs to by default. */
export const PRINCIPAL = { orgId: 'an org', workspaceId: 'a workspace', endUserId: null };

type Overrides = Partial<PassRequest> & { tenantId?: string };

/** A request for a pass of this code, with `overrides`. */
export function aRequest(code: string, { tenantId, ...overrides }: Overrides = {}): PassRequest {
  const program = readRunnable(code, overrides.inputs === undefined ? 'svc' : 'inputs', tenantId);
  return {
    principal: PRINCIPAL,
    program,
    surface: SURFACE,
    seed: 'a seed',
    startedAt: STARTED_AT,
    limits: { timeMs: 100_000, memoryMb: 128 },
    ...overrides,
  };
}

/** An echo host with its received events and its answers. */
export interface EchoHost extends PassHost {
  events: SandboxEvent[];
  completions: Completion[];
}

/**
 * A host that answers calls and timers in the order of their events. Each call advances the clock
 * of the run by a millisecond, and each timer by its delay. The action `fail` fails, and every
 * other action returns its input.
 */
export function anEchoHost(): EchoHost {
  const events: SandboxEvent[] = [];
  const completions: Completion[] = [];
  let now = STARTED_AT;
  return {
    events,
    completions,
    onEvents: (issued) => void events.push(...issued),
    async nextCompletion() {
      const event = events[completions.length]!;
      now += event.kind === 'timer' ? event.delayMs : 1;
      const completion = answer(event, now);
      completions.push(completion);
      return completion;
    },
  };
}

/** Runs code in a sandbox against an echo host. */
export function run(sandbox: Sandbox, code: string, overrides: Overrides = {}): Promise<PassResult> {
  return sandbox.runPass(aRequest(code, overrides), anEchoHost());
}

/** Runs code and returns what the code returned. Throws if the code ended in another way. */
export async function returned(sandbox: Sandbox, code: string): Promise<unknown> {
  const result = await run(sandbox, code);
  if (result.kind !== 'returned') throw new Error(`not returned: ${JSON.stringify(result)}`);
  return JSON.parse(result.value);
}

/** Runs code and returns its error. Throws if there was none. */
export async function errorOf(sandbox: Sandbox, code: string, overrides: Overrides = {}) {
  const result = await run(sandbox, code, overrides);
  if (result.kind !== 'threw' && result.kind !== 'failed') throw new Error(`no error: ${JSON.stringify(result)}`);
  return { kind: result.kind, ...result.error } as { kind: string; code: string; message: string; line?: number; column?: number };
}

function answer(event: SandboxEvent, now: number): Completion {
  if (event.kind === 'timer') return { number: event.number, now, ok: true, value: 'null' };
  if (event.action === 'fail')
    return {
      number: event.number,
      now,
      ok: false,
      error: { code: 'ACTION_FAILED', message: `failed with ${event.input}`, ...JSON.parse(event.input) },
    };
  return { number: event.number, now, ok: true, value: event.input };
}

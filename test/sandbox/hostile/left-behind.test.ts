import type { Sandbox } from '../../../sandbox/host/open-sandbox.ts';
import type { PassHost, PassResult, SandboxEvent } from '../../../sandbox/host/pass.ts';
import { inParallel } from '../../support/in-parallel.ts';
import { aRequest, aSandbox, PRINCIPAL, returned } from '../a-sandbox.ts';
import { aHostileHost, HOSTILE_SURFACE } from './hostile-host.ts';
import { LEFT_BEHIND, type LeavingProgram } from './programs/left-behind.ts';
import { WORLD } from './world.ts';

const LANES = 3;

let kept: Sandbox;
let single: Sandbox;
beforeAll(() => {
  kept = aSandbox({ keptMost: 4 * LANES });
  single = aSandbox({ keptMost: 0 });
});
afterAll(() => Promise.all([kept.close(), single.close()]));

/** `events` and the logs of `result` grow if something arrives after the pass. */
interface Seen {
  result: PassResult;
  events: SandboxEvent[];
}

async function pass(sandbox: Sandbox, code: string, endUserId: string): Promise<Seen> {
  const events: SandboxEvent[] = [];
  const answering = aHostileHost();
  const host: PassHost = {
    onEvents(issued) {
      events.push(...issued);
      answering.onEvents(issued);
    },
    nextCompletion: answering.nextCompletion,
  };
  const principal = { ...PRINCIPAL, endUserId };
  return { result: await sandbox.runPass(aRequest(code, { principal, surface: HOSTILE_SURFACE }), host), events };
}

const lasting = ({ result: { sandboxMs, ...result }, events }: Seen) => structuredClone({ result, events });

const keptFor = (what: string) => kept.keptRunners().find(({ principal }) => principal.endUserId === what);

async function problemsOf({ what, code, next }: LeavingProgram): Promise<string[]> {
  const first = await pass(kept, code, what);
  const left = lasting(first);
  const process = keptFor(what);
  const second = lasting(await pass(kept, next, what));
  const alone = lasting(await pass(single, next, what));
  const again = keptFor(what);
  return [
    ...(['returned', 'paused'].includes(left.result.kind) ? [] : [`the first pass ended as ${JSON.stringify(left.result)}`]),
    ...(process && again?.pid === process.pid && again.passes === 2 ? [] : ['the second pass ran in another process']),
    ...(same(second, alone) ? [] : [`the second pass saw ${JSON.stringify(second)}, alone ${JSON.stringify(alone)}`]),
    ...(same(lasting(first), left) ? [] : [`the first pass went on: ${JSON.stringify(first)}`]),
  ].map((problem) => `${what}: ${problem.slice(0, 1000)}`);
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

test(`none of ${LEFT_BEHIND.length} programs leaves a trace in the next pass or in the host`, async () => {
  expect(LEFT_BEHIND.length).toBeGreaterThanOrEqual(20);
  const problems = await inParallel(LEFT_BEHIND, LANES, problemsOf);
  expect(problems.flat()).toEqual([]);
});

test('the digests of WORLD change with a global, a built-in or an attribute', async () => {
  const untouched = await returned(single, WORLD);
  const changes = ['globalThis.left = 1', 'Array.prototype.flatMap = () => 1', 'Object.freeze(Map.prototype)', 'URL.prototype.left = 1'];
  for (const change of changes) expect(await returned(single, `${change}; ${WORLD}`)).not.toEqual(untouched);
  expect(await returned(single, WORLD)).toEqual(untouched);
});

test('the next pass does not see the integrations and inputs of the previous pass', async () => {
  const principal = { ...PRINCIPAL, endUserId: 'inputs' };
  const look = `return [typeof inputs, typeof svc === 'undefined' ? '' : Object.keys(svc)]`;
  const run = async (overrides: object) => {
    const result = await kept.runPass(aRequest(look, { principal, ...overrides }), aHostileHost());
    return result.kind === 'returned' ? JSON.parse(result.value) : result;
  };
  expect(await run({ inputs: '{"secret":1}' })).toEqual(['object', '']);
  expect(await run({ surface: { echo: ['say'], http: ['send_request'] } })).toEqual(['undefined', ['echo', 'http']]);
  expect(await run({ surface: { echo: ['say'] } })).toEqual(['undefined', ['echo']]);
  expect(keptFor('inputs')).toMatchObject({ passes: 3 });
});

test('an answer that arrives after its pass was canceled has no effect', async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<{ number: number; now: number; ok: true; value: string }>();
  const canceling = new AbortController();
  const principal = { ...PRINCIPAL, endUserId: 'canceled' };
  const first = kept.runPass(
    aRequest('return svc.echo.say({ left: 1 })', { principal }),
    { onEvents: () => asked.resolve(), nextCompletion: () => answer.promise },
    canceling.signal,
  );
  await asked.promise;
  canceling.abort();
  expect(await first).toMatchObject({ error: { code: 'CODE_CANCELED' } });
  const events: SandboxEvent[] = [];
  const second = kept.runPass(aRequest('return svc.echo.say({ mine: 1 })', { principal }), {
    onEvents(issued) {
      events.push(...issued);
      answer.resolve({ number: 0, now: 0, ok: true, value: '"left"' });
    },
    nextCompletion: async () => ({ number: 0, now: 0, ok: true, value: '"mine"' }),
  });
  expect(await second).toMatchObject({ kind: 'returned', value: '"mine"', logs: [] });
  expect(events).toHaveLength(1);
});

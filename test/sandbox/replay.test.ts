import fc from 'fast-check';
import type { Sandbox } from '../../sandbox/host/open-sandbox.ts';
import type { Completion, PassHost, PassResult, SandboxEvent } from '../../sandbox/host/pass.ts';
import { anEchoHost, aRequest, aSandbox, STARTED_AT } from './a-sandbox.ts';

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = aSandbox({ poolSize: 2 });
});
afterAll(() => sandbox.close());

const PROGRAMS = {
  'a loop': 'const out = []; for (let i = 0; i < 5; i++) out.push(await svc.echo.say({ i, r: Math.random() })); return out',
  'all, settled at different times':
    'return Promise.all([1, 2, 3, 4].map((n) => svc.echo.say({ n }).then(({ n }) => svc.echo.say({ n: n * 2, at: Date.now() }))))',
  'a race of calls and timers':
    'const sleep = (ms) => new Promise((d) => setTimeout(d, ms, ms)); const won = []; for (let i = 0; i < 4; i++) won.push(await Promise.race([svc.echo.say({ i }), sleep(i * 2), sleep(5)])); return won',
  'any and allSettled with failures':
    'const any = await Promise.any([svc.echo.fail({ a: 1 }), svc.echo.say({ b: 2 }), svc.echo.say({ c: 3 })]); const all = await Promise.allSettled([svc.echo.fail({}), svc.echo.say({})]); return [any, all.map((s) => s.status)]',
  'retries with back-off':
    'let tries = 0; const call = () => ++tries < 3 ? svc.echo.fail({ tries }) : svc.echo.say({ tries }); for (;;) { try { return [await call(), Date.now(), crypto.randomUUID()] } catch (e) { console.log(e.message, tries); await new Promise((d) => setTimeout(d, 2 ** tries)) } }',
  'workers on a shared queue':
    'const queue = [1, 2, 3, 4, 5, 6, 7]; const log = []; const worker = async (name) => { while (queue.length) { const n = queue.shift(); await svc.echo.say({ name, n }); log.push(name + n) } }; await Promise.all(["a", "b", "c"].map(worker)); return log',
  'a generator and an interval':
    'async function* ticks() { for (let i = 0; i < 3; i++) yield svc.echo.say({ i }) } let beats = 0; const id = setInterval(() => beats++, 1); const out = []; for await (const tick of ticks()) out.push(tick, beats); clearInterval(id); return out',
};

function shufflingHost(pick: (count: number) => number): PassHost & { events: SandboxEvent[]; completions: Completion[] } {
  const events: SandboxEvent[] = [];
  const completions: Completion[] = [];
  const waiting: SandboxEvent[] = [];
  return {
    events,
    completions,
    onEvents(issued) {
      events.push(...issued);
      waiting.push(...issued);
    },
    async nextCompletion() {
      const [event] = waiting.splice(pick(waiting.length), 1);
      const base = { number: event!.number, now: STARTED_AT + completions.length * 3 };
      const isFailure = event!.kind === 'call' && event!.action === 'fail';
      const completion: Completion = isFailure
        ? { ...base, ok: false, error: { code: 'ACTION_FAILED', message: 'no' } }
        : { ...base, ok: true, value: event!.kind === 'call' ? event!.input : 'null' };
      completions.push(completion);
      return completion;
    },
  };
}

function recordedHost(completions: Completion[]): PassHost & { events: SandboxEvent[] } {
  const events: SandboxEvent[] = [];
  let next = 0;
  return { events, onEvents: (issued) => void events.push(...issued), nextCompletion: async () => completions[next++] ?? 'pause' };
}

const lasting = ({ sandboxMs: _, ...result }: PassResult) => result;

test.each(Object.entries(PROGRAMS))('%s: a replay gives the same events, log and result', async (_name, code) => {
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.nat()), fc.nat(), async (choices, cut) => {
      const live = shufflingHost((count) => choices.next().value % count);
      const result = await sandbox.runPass(aRequest(code), live);
      expect(result.kind).toBe('returned');
      expect(live.events.map(({ number }) => number)).toEqual(live.events.map((_event, index) => index));

      const whole = recordedHost(live.completions);
      expect(lasting(await sandbox.runPass(aRequest(code), whole))).toEqual(lasting(result));
      expect(whole.events).toEqual(live.events);

      const part = recordedHost(live.completions.slice(0, cut % live.completions.length));
      const paused = await sandbox.runPass(aRequest(code), part);
      expect(paused.kind).toBe('paused');
      expect(part.events).toEqual(live.events.slice(0, part.events.length));
      expect(paused.logs).toEqual(result.logs.slice(0, paused.logs.length));
    }),
    { numRuns: 3 },
  );
});

test('the same seed gives the same random values, and another seed gives other values', async () => {
  const code = 'return [Math.random(), crypto.randomUUID()]';
  const values = [];
  for (const seed of ['a', 'a', 'b'])
    values.push(await sandbox.runPass(aRequest(code, { seed }), anEchoHost()).then((r) => r.kind === 'returned' && r.value));
  expect(values[0]).toBe(values[1]);
  expect(values[0]).not.toBe(values[2]);
});

test('code cannot observe a pause in catch, in finally or in the log', async () => {
  const code = 'try { await svc.echo.say({}) } catch { console.log("catch") } finally { console.log("finally") }';
  const paused = await sandbox.runPass(aRequest(code), recordedHost([]));
  expect(lasting(paused)).toEqual({ kind: 'paused', logs: [] });
});

test('code that waits while no call or timer is open ends as CODE_STALLED', async () => {
  for (const code of ['await new Promise(() => {})', 'await svc.echo.say({}); await new Promise(() => {})']) {
    expect(await sandbox.runPass(aRequest(code), anEchoHost())).toMatchObject({ kind: 'failed', error: { code: 'CODE_STALLED' } });
  }
});

test('the host is asked for one answer at a time, while a call or timer is open', async () => {
  let isAsked = false;
  const host = anEchoHost();
  const watched: PassHost = {
    onEvents: host.onEvents,
    async nextCompletion() {
      expect(isAsked).toBe(false);
      expect(host.events.length).toBeGreaterThan(host.completions.length);
      isAsked = true;
      await new Promise(setImmediate);
      isAsked = false;
      return host.nextCompletion();
    },
  };
  const result = await sandbox.runPass(aRequest('return (await Promise.all([1, 2, 3].map((n) => svc.echo.say({ n })))).length'), watched);
  expect(result).toMatchObject({ kind: 'returned', value: '3' });
});

test('an error thrown by the host rejects the pass', async () => {
  const failing: PassHost = { onEvents: () => {}, nextCompletion: () => Promise.reject(new Error('journal lost')) };
  await expect(sandbox.runPass(aRequest('await svc.echo.say({})'), failing)).rejects.toThrow('journal lost');
  const broken: PassHost = {
    onEvents: () => {
      throw new Error('journal full');
    },
    nextCompletion: async () => 'pause',
  };
  await expect(sandbox.runPass(aRequest('await svc.echo.say({})'), broken)).rejects.toThrow('journal full');
});

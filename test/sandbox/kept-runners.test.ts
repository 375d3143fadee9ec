import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { KeptRunners } from '../../sandbox/host/kept-runners.ts';
import { launchRunner } from '../../sandbox/host/launch-runner.ts';
import type { Sandbox } from '../../sandbox/host/open-sandbox.ts';
import type { CodePrincipal, PassHost } from '../../sandbox/host/pass.ts';
import { PrincipalRunner } from '../../sandbox/host/principal-runner.ts';
import { readProcessUse } from '../../sandbox/host/process-use.ts';
import { runPassIn } from '../../sandbox/host/run-pass.ts';
import { until } from '../support/until.ts';
import { anEchoHost, aRequest, aSandbox, PRINCIPAL } from './a-sandbox.ts';
import { bare, isAlive, launch } from './runner-bed.ts';

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = aSandbox({ keptMost: 8 });
});
afterAll(() => sandbox.close());

const some = (endUserId: string | null): CodePrincipal => ({ ...PRINCIPAL, endUserId });
const run = (code: string, principal: CodePrincipal, timeMs = 100_000) =>
  sandbox.runPass(aRequest(code, { principal, limits: { timeMs, memoryMb: 128 } }), anEchoHost());

const keptFor = (principal: CodePrincipal, of = sandbox) =>
  of.keptRunners().find((one) => JSON.stringify(one.principal) === JSON.stringify(principal));

describe('one process', () => {
  test('serves passes of one principal only', async () => {
    const principals: CodePrincipal[] = [
      some('one'),
      some('other'),
      some(null),
      { ...some('one'), workspaceId: 'another workspace' },
      { ...some('one'), orgId: 'another org' },
    ];
    for (const principal of principals) expect(await run('return 1', principal)).toMatchObject({ kind: 'returned' });
    const first = principals.map((principal) => keptFor(principal)!.pid);
    for (const principal of principals.toReversed()) await run('return 2', principal);
    expect(principals.map((principal) => keptFor(principal))).toEqual(
      principals.map((principal, index) => ({ principal, pid: first[index], passes: 2 })),
    );
    expect(new Set(first).size).toBe(principals.length);
  });

  test('runs one pass at a time, and passes of one memory size', async () => {
    const principal = some('parallel');
    await Promise.all([run('return 1', principal), run('return 2', principal)]);
    const pids = sandbox.keptRunners().flatMap((one) => (one.principal.endUserId === 'parallel' ? [one.pid] : []));
    expect(new Set(pids).size).toBe(2);
    const larger = aRequest('return 1', { principal, limits: { timeMs: 100_000, memoryMb: 160 } });
    await sandbox.runPass(larger, anEchoHost());
    expect(pids).not.toContain(sandbox.keptRunners().at(-1)!.pid);
  });

  test('serves at most fifty passes', async () => {
    const principal = some('fifty');
    await run('return 0', principal);
    const { pid } = keptFor(principal)!;
    for (let n = 1; n < 50; n += 1) await run('return (await svc.echo.say({ a: 1 })).a', principal);
    await until(() => !isAlive(pid));
    expect(await run('return 1', principal)).toMatchObject({ kind: 'returned' });
    expect(keptFor(principal)).toMatchObject({ passes: 1 });
  });

  test.each([
    ['a time limit', 'while (true);', 'CODE_TIMEOUT'],
    ['a time limit after an answer', 'await svc.echo.say({}); while (true);', 'CODE_TIMEOUT'],
    ['too much memory', 'const all = []; while (true) all.push(new Array(1e5).fill(1));', 'CODE_MEMORY'],
    ['a promise that nothing settles', 'await new Promise(() => {})', 'CODE_STALLED'],
    ['too large an output', 'return "x".repeat(2_000_000)', 'CODE_OUTPUT_TOO_LARGE'],
    ['too many calls', 'for (let i = 0; i < 201; i++) svc.echo.say({})', 'CODE_CALL_LIMIT'],
  ])('a runner ends after a failed pass: %s', async (what, code, expected) => {
    const principal = some(what);
    await run('return 1', principal);
    const { pid } = keptFor(principal)!;
    const timeMs = expected === 'CODE_TIMEOUT' ? 300 : 100_000;
    expect(await run(code, principal, timeMs)).toMatchObject({ kind: 'failed', error: { code: expected } });
    expect(keptFor(principal)).toBeUndefined();
    await until(() => !isAlive(pid));
    expect(await run('return 1', principal)).toMatchObject({ kind: 'returned' });
  });

  test('each pass of a kept runner has the full memory of a run', async () => {
    const principal = some('memory');
    const holding = (count: number) =>
      `const all = []; for (let i = 0; i < ${count}; i++) all.push(new Array(125_000).fill(i)); return all.length`;
    for (let n = 0; n < 5; n += 1) expect(await run(holding(20), principal)).toMatchObject({ kind: 'returned' });
    expect(keptFor(principal)).toMatchObject({ passes: 5 });
    expect(await run(holding(100), principal)).toMatchObject({ kind: 'returned', value: '100' });
    for (let n = 0; n < 5; n += 1) expect(await run(holding(20), principal)).toMatchObject({ kind: 'returned' });
    expect(await run('return new Array(3e7).fill(1).length', principal)).toMatchObject({ error: { code: 'CODE_MEMORY' } });
  });

  test('a runner ends if more than half of its memory is in use, or if its host failed', async () => {
    const greedy = 'const all = []; for (let i = 0; i < 90; i++) all.push(new Uint8Array(1e6).fill(i)); return all.length';
    expect(await run(greedy, some('greedy'))).toMatchObject({ kind: 'returned', value: '90' });
    await until(() => !keptFor(some('greedy')));
    const failing: PassHost = { onEvents: () => {}, nextCompletion: () => Promise.reject(new Error('journal lost')) };
    const request = aRequest('await svc.echo.say({})', { principal: some('lost') });
    await expect(sandbox.runPass(request, failing)).rejects.toThrow('journal lost');
    expect(keptFor(some('lost'))).toBeUndefined();
  });

  test('a kill of the runner between two passes does not affect the next pass', async () => {
    const principal = some('killed');
    await run('return 1', principal);
    const first = keptFor(principal)!.pid;
    process.kill(first, 'SIGKILL');
    expect(await run('console.log("once"); return 2', principal)).toMatchObject({
      kind: 'returned',
      value: '2',
      logs: [{ message: 'once' }],
    });
    const second = keptFor(principal)!.pid;
    expect(second).not.toBe(first);
    process.kill(second, 'SIGKILL');
    await until(() => !keptFor(principal));
    expect(await run('return 3', principal)).toMatchObject({ kind: 'returned', value: '3' });
  });
});

test('a sandbox that keeps no runners gives each pass its own process', async () => {
  const single = aSandbox({ keptMost: 0 });
  const look = `globalThis.seen = (globalThis.seen ?? 0) + 1; return seen`;
  for (let n = 0; n < 2; n += 1) {
    expect(await single.runPass(aRequest(look), anEchoHost())).toMatchObject({ kind: 'returned', value: '1' });
    expect(single.keptRunners()).toEqual([]);
  }
  await single.close();
});

test('a kept runner holds no reference to the host or the request of an ended pass', async () => {
  const principal = some('references');
  const held = await (async () => {
    const host = anEchoHost();
    const request = aRequest('console.log(1); return svc.echo.say({})', { principal });
    const result = await sandbox.runPass(request, host);
    return [host, request, result.logs].map((value) => new WeakRef<object>(value));
  })();
  expect(keptFor(principal)).toBeDefined();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  await until(() => {
    collect();
    return held.every((reference) => reference.deref() === undefined);
  });
  expect(keptFor(principal)).toBeDefined();
});

describe('the kept runners', () => {
  const passOf = (kept: KeptRunners, endUserId: string) => {
    const principal = some(endUserId);
    const start = async () => new PrincipalRunner(await launch({ ...bare, hasResourceLimits: true }), principal);
    return runPassIn({ kept, start }, aRequest('return 1', { principal }), anEchoHost(), new AbortController().signal);
  };

  test('are limited in number, and the least recently used runner ends first', async () => {
    const kept = new KeptRunners({ most: 2 });
    const names = () => kept.list().map(({ principal }) => principal.endUserId);
    for (const name of ['a', 'b', 'a', 'c']) await passOf(kept, name);
    expect(names()).toEqual(['a', 'c']);
    const { pid } = kept.list()[0]!;
    await passOf(kept, 'd');
    expect(names()).toEqual(['c', 'd']);
    await until(() => !isAlive(pid));
    kept.close();
    await passOf(kept, 'e');
    expect(names()).toEqual([]);
  });

  test('the number of kept runners grows under demand, and shrinks after a calm period', async () => {
    const namesOf = (kept: KeptRunners) => kept.list().map(({ principal }) => principal.endUserId);
    const growing = new KeptRunners({ least: 1, most: 2 });
    for (const name of ['a', 'b', 'c']) await passOf(growing, name);
    expect(namesOf(growing)).toEqual(['b', 'c']);
    growing.close();
    const shrinking = new KeptRunners({ least: 1, most: 2, calmMs: 1 });
    for (const name of ['a', 'b']) await passOf(shrinking, name);
    await until(() => shrinking.list().length === 1);
    expect(namesOf(shrinking)).toEqual(['b']);
    shrinking.close();
  });

  test('kept runners end after their idle time', async () => {
    const kept = new KeptRunners({ most: 2, idleMs: 1 });
    await passOf(kept, 'a');
    await until(() => kept.list().length === 0);
    const lasting = new KeptRunners({ most: 2 });
    await passOf(lasting, 'a');
    expect(lasting.list()).toHaveLength(1);
    lasting.close();
  });
});

describe('a runner that native code has compromised', () => {
  const SAY = `const say = (text) => { const body = Buffer.from(text); const header = Buffer.alloc(4); header.writeUInt32BE(body.length); process.stdout.write(Buffer.concat([header, body])) };
    const turn = '{"kind":"turn","events":[],"more":false,"end":{"kind":"returned","value":"1"}}';`;
  /** Launches a runner that runs `deed` when it is asked to renew itself. */
  const takenOver = async (deed: string) => {
    const source = `${SAY} let heard = 0;
      process.stdin.on('data', () => { heard += 1; if (heard === 1) say('{"kind":"ready"}'); else if (heard % 2 === 0) say(turn); else { ${deed} } }).on('end', () => process.exit());`;
    return launchRunner({ program: { source, bootstrap: '', addonPath: '-' }, confinement: bare, memoryMb: 128 });
  };
  const READY = `say('{"kind":"ready"}');`;

  const twice = async (deed: string, between: (kept: KeptRunners) => unknown) => {
    const kept = new KeptRunners({ most: 2 });
    const processes: { pid: number }[] = [];
    const start = async () => {
      const process = await takenOver(deed);
      processes.push(process);
      return new PrincipalRunner(process, PRINCIPAL);
    };
    const pass = () => runPassIn({ kept, start }, aRequest('return 1'), anEchoHost(), new AbortController().signal);
    expect(await pass()).toMatchObject({ kind: 'returned', value: '1' });
    await between(kept);
    expect(await pass()).toMatchObject({ kind: 'returned', value: '1' });
    kept.close();
    return processes.length;
  };

  test('a compromised runner serves again if it behaves well', async () => {
    expect(await twice(READY, () => {})).toBe(1);
  });

  test.each([
    ['does not report that it is ready', `say(turn)`],
    ['ends', 'process.exit(1)'],
    ['writes errors', `process.stderr.write('x', () => { ${READY} })`],
    ['keeps memory', `globalThis.all = Buffer.alloc(40 * 1024 * 1024, 1); ${READY}`],
    ['sends more than it is asked for', `${READY} say(turn)`],
    ['reports an event outside a pass', `${READY} say('{"kind":"log","level":"log","message":"x"}')`],
  ])('a compromised runner is ended and not used again if it %s', async (_what, deed) => {
    expect(await twice(deed, (kept) => until(() => kept.list().length === 0))).toBe(2);
  });

  test('a compromised runner is not used again if it continues to compute', async () => {
    const spin = `${READY} setInterval(() => { for (const end = Date.now() + 20; Date.now() < end; ); }, 1)`;
    const usedUp = (kept: KeptRunners) => {
      const { pid } = kept.list()[0]!;
      return until(() => (readProcessUse(pid)?.cpuMs ?? 0) > 1000);
    };
    expect(await twice(spin, usedUp)).toBe(2);
  });
});

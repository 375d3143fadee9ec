import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Confinement, confine, confinementsFor, missingConfinements } from '../../sandbox/confinement.ts';
import { executePass } from '../../sandbox/execute-pass.ts';
import { launchRunner, type Runner } from '../../sandbox/launch-runner.ts';
import { openRunnerPool } from '../../sandbox/runner-pool.ts';
import { loadRunnerProgram } from '../../sandbox/runner-program.ts';
import { anEchoHost, aRequest, aSandbox, run } from './a-sandbox.ts';

const isRoot = process.getuid?.() === 0;
const bare: Confinement = { hasNoNetwork: false, user: 'same', hasNoPrivileges: false, hasResourceLimits: false };
const program = loadRunnerProgram();
const launch = (confinement = bare) => launchRunner({ program, confinement, memoryMb: 128 });

describe('the pool', () => {
  const aPool = (size: number) => {
    const launched: Promise<Runner>[] = [];
    const pool = openRunnerPool(size, () => {
      const start = launch();
      launched.push(start);
      return start;
    });
    return { pool, launched };
  };

  test('starts runners ahead, gives each away once, and starts another for it', async () => {
    const { pool, launched } = aPool(1);
    expect(launched).toHaveLength(1);
    const taken = await Promise.all([pool.take(), pool.take(), pool.take()]);
    expect(new Set(taken.map(({ pid }) => pid)).size).toBe(3);
    await new Promise(setImmediate);
    expect(launched).toHaveLength(4);
    await pool.close();
    expect(await (await launched[3]!).exited).toMatchObject({ signal: 'SIGKILL' });
    await expect(pool.take()).rejects.toThrow('closed');
    for (const runner of taken) runner.kill();
  });

  test('a runner that died while it waited is not given away', async () => {
    const { pool, launched } = aPool(1);
    const first = await launched[0]!;
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    const taken = await pool.take();
    expect(taken.pid).not.toBe(first.pid);
    taken.kill();
    await pool.close();
  });

  test('a start that fails is told to the one who asked, and the next one may succeed', async () => {
    let isBroken = true;
    const pool = openRunnerPool(1, () => (isBroken ? Promise.reject(new Error('no processes left')) : launch()));
    await expect(pool.take()).rejects.toThrow('no processes left');
    isBroken = false;
    (await pool.take()).kill();
    await pool.close();
  });
});

describe('the sandbox', () => {
  test('ten runs at once on a pool of one all succeed', async () => {
    const sandbox = aSandbox();
    const results = await Promise.all(Array.from({ length: 10 }, (_, n) => run(sandbox, `return ${n}`)));
    expect(results.map((result) => result.kind === 'returned' && Number(result.value))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await sandbox.close();
  });

  test('closing ends what runs and refuses what comes', async () => {
    const sandbox = aSandbox();
    const spinning = run(sandbox, 'while (true);');
    await sandbox.describeConfinement();
    await sandbox.close();
    expect(await spinning).toMatchObject({ kind: 'failed' });
    expect(await run(sandbox, 'return 1')).toMatchObject({ kind: 'failed', error: { code: 'CODE_UNAVAILABLE' } });
  });
});

describe('confinement', () => {
  test('every way to start a runner that this machine has works the same', async () => {
    const outcomes = [];
    for (const confinement of confinementsFor(process.platform, isRoot)) {
      const runner = await launch(confinement).catch(() => undefined);
      if (runner) outcomes.push(await executePass(runner, aRequest('return (await svc.echo.say({ a: 1 })).a'), anEchoHost()));
    }
    expect(outcomes.length).toBeGreaterThan(0);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ kind: 'returned', value: '1' });
  });

  test('the tightest way comes first, and each missing part is said', () => {
    const asRoot = confinementsFor('linux', true);
    expect(asRoot[0]).toEqual({ hasNoNetwork: true, user: 'own', hasNoPrivileges: true, hasResourceLimits: true });
    expect(missingConfinements(asRoot[0]!, true)).toEqual([]);
    expect(missingConfinements(confinementsFor('linux', false)[0]!, false)).toEqual([]);
    expect(missingConfinements(bare, true)).toHaveLength(4);
    expect(confinementsFor('win32', false)).toEqual([bare]);
  });

  test('each runner gets a user id of its own', () => {
    const [tightest] = confinementsFor('linux', true);
    const userOf = (serial: number) =>
      confine(tightest!, ['node'], { memoryMb: 128, serial, isRoot: true }).args.find((arg) => arg.startsWith('--reuid='));
    expect(userOf(1)).not.toBe(userOf(2));
  });

  const onLinux = process.platform === 'linux' ? test : test.skip;

  onLinux('a runner has an empty environment, no file but its pipes, and what its confinement says', async () => {
    const sandbox = aSandbox();
    const { hasNoNetwork, user, hasNoPrivileges, hasResourceLimits } = await sandbox.describeConfinement();
    await sandbox.close();
    const runner = await launch({ hasNoNetwork, user, hasNoPrivileges, hasResourceLimits });
    const read = (name: string) => readFileSync(`/proc/${runner.pid}/${name}`, 'utf8');
    expect(
      read('environ')
        .split('\0')
        .filter((entry) => entry && !/^(PWD|OLDPWD|SHLVL|_)=/.test(entry)),
    ).toEqual([]);
    expect(read('cmdline')).toContain('--jitless');
    expect(read('cmdline')).toContain('--permission');
    if (hasResourceLimits) expect(read('limits')).toMatch(/Max file size +0 +0/);
    if (hasNoPrivileges) expect(read('status')).toMatch(/NoNewPrivs:\s+1/);
    if (user === 'own') expect(read('status')).toMatch(/Uid:\s+4\d{5}\s/);
    if (hasNoNetwork) expect(read('net/dev')).not.toMatch(/eth|en\d/);
    runner.kill();
    await runner.exited;
  });
});

describe('when the parent is gone', () => {
  test.each([
    ['waits', 'await svc.echo.say({})'],
    ['spins', 'while (true);'],
  ])('a runner that %s ends', async (_what, code) => {
    const parent = spawn(process.execPath, [join(import.meta.dirname, 'orphan-parent.ts'), code], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [said] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(said.toString());
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    await expect(untilGone(pid)).resolves.toBeUndefined();
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function untilGone(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise(setImmediate);
}

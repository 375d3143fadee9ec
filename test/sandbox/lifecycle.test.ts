import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Confinement, confine, confinementsFor, missingConfinements } from '../../sandbox/confinement.ts';
import { executePass } from '../../sandbox/execute-pass.ts';
import { launchRunner, type Runner, RunnerInterruptedError } from '../../sandbox/launch-runner.ts';
import { openRunnerPool } from '../../sandbox/runner-pool.ts';
import { innermostProcess } from '../../sandbox/runner-process.ts';
import { loadRunnerProgram } from '../../sandbox/runner-program.ts';
import { startTightest } from '../../sandbox/start-tightest.ts';
import { anEchoHost, aRequest, aSandbox, run } from './a-sandbox.ts';

const isRoot = process.getuid?.() === 0;
const bare: Confinement = { hasOwnRoot: false, hasNoNetwork: false, user: 'same', hasNoPrivileges: false, hasResourceLimits: false };
const onLinux = process.platform === 'linux' ? test : test.skip;
const program = loadRunnerProgram();
const launch = (confinement = bare) => launchRunner({ program, confinement, memoryMb: 128 });

describe('the pool', () => {
  const aPool = (least: number, most = least, calmMs?: number) => {
    const launched: Promise<Runner>[] = [];
    const pool = openRunnerPool({ least, most, ...(calmMs && { calmMs }) }, () => {
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

  test('a runner that dies while it waits is replaced before anybody asks', async () => {
    const { pool, launched } = aPool(1);
    process.kill((await launched[0]!).pid, 'SIGKILL');
    while (launched.length < 2) await new Promise(setImmediate);
    const second = await launched[1]!;
    expect(await pool.take()).toBe(second);
    second.kill();
    await pool.close();
  });

  test('more are kept when many were wanted at once, and fewer again when it is calm', async () => {
    const { pool, launched } = aPool(1, 3, 2000);
    const taken = await Promise.all(Array.from({ length: 5 }, () => pool.take()));
    while (launched.length < 5 + 3) await new Promise(setImmediate);
    const waiting = await Promise.all(launched.slice(5));
    expect(waiting.map((runner) => runner.isGone())).toEqual([false, false, false]);
    await Promise.all(waiting.slice(1).map(({ exited }) => exited));
    expect(waiting[0]!.isGone()).toBe(false);
    for (const runner of taken) runner.kill();
    await pool.close();
    expect(launched).toHaveLength(8);
  });

  test('a start that fails is told to the one who asked, and the next one may succeed', async () => {
    let isBroken = true;
    const pool = openRunnerPool({ least: 1, most: 1 }, () => (isBroken ? Promise.reject(new Error('no processes left')) : launch()));
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
    expect(asRoot[0]).toEqual({ hasOwnRoot: true, hasNoNetwork: true, user: 'own', hasNoPrivileges: true, hasResourceLimits: true });
    expect(missingConfinements(asRoot[0]!, true)).toEqual([]);
    expect(missingConfinements(confinementsFor('linux', false)[0]!, false)).toEqual([]);
    expect(missingConfinements(bare, true)).toHaveLength(5);
    expect(confinementsFor('win32', false)).toEqual([bare]);
  });

  describe('whose first runner is killed', () => {
    const candidates = confinementsFor(process.platform, isRoot);
    const anyTightest = () => startTightest(candidates, launch);
    const mute = { ...program, source: 'setInterval(() => {}, 60_000)' };

    /** Starts a runner that is killed from outside before it says anything. */
    const launchKilled = async (confinement: Confinement): Promise<Runner> => {
      const before = new Set(childrenOf(process.pid));
      const start = launchRunner({ program: mute, confinement, memoryMb: 128 });
      let isOver = false;
      void start
        .catch(() => {})
        .finally(() => {
          isOver = true;
        });
      while (!isOver) {
        const mine = childrenOf(process.pid).find((pid) => !before.has(pid) && isAlive(pid));
        const pid = mine && (await innermostProcess(mine));
        const line = textOf(`/proc/${pid}/cmdline`);
        if (pid && line.startsWith(process.execPath) && line.includes('setInterval')) {
          process.kill(pid, 'SIGKILL');
          break;
        }
        await new Promise(setImmediate);
      }
      return start;
    };

    onLinux('another one is started in the same way: no looser one is chosen', async () => {
      const usual = await anyTightest();
      usual.runner.kill();
      const tried: Confinement[] = [];
      const { confinement, runner } = await startTightest(candidates.slice(candidates.indexOf(usual.confinement)), (one) =>
        tried.push(one) <= 2 ? launchKilled(one) : launch(one),
      );
      expect(confinement).toBe(usual.confinement);
      expect(tried).toEqual([confinement, confinement, confinement]);
      runner.kill();
    });

    onLinux('a start that failed once says nothing yet, one that fails again is believed', async () => {
      const [first, second] = [bare, { ...bare, hasResourceLimits: true }];
      let starts = 0;
      const failing = (times: number) => (one: Confinement) => {
        if (one === second) return launch();
        return starts++ < times ? Promise.reject(new Error('mount: killed')) : launch();
      };
      const once = await startTightest([first, second], failing(1));
      expect(once.confinement).toBe(first);
      starts = 0;
      const always = await startTightest([first, second], failing(Number.POSITIVE_INFINITY));
      expect({ confinement: always.confinement, starts }).toEqual({ confinement: second, starts: 2 });
      for (const { runner } of [once, always]) runner.kill();
    });

    onLinux('none is chosen where each is killed', async () => {
      const usual = await anyTightest();
      usual.runner.kill();
      const tried = new Set<Confinement>();
      const start = (one: Confinement) => launchKilled(tried.add(one) && one);
      await expect(startTightest(candidates.slice(candidates.indexOf(usual.confinement)), start)).rejects.toThrow(RunnerInterruptedError);
      expect([...tried]).toEqual([usual.confinement]);
    });
  });

  test('each runner gets a user id of its own', () => {
    const [tightest] = confinementsFor('linux', true);
    const userOf = (serial: number) =>
      confine(tightest!, ['node'], { memoryMb: 128, serial, isRoot: true, files: { setpriv: 'setpriv', all: [], folders: [] } }).args.find(
        (arg) => arg.startsWith('--reuid='),
      );
    expect(userOf(1)).not.toBe(userOf(2));
  });

  onLinux('a runner has an empty environment, no file but its pipes, and what its confinement says', async () => {
    const sandbox = aSandbox();
    const { missing, ...confinement } = await sandbox.describeConfinement();
    await sandbox.close();
    const { hasOwnRoot, hasNoNetwork, user, hasNoPrivileges, hasResourceLimits } = confinement;
    const runner = await launch(confinement);
    // In namespaces of its own it is the child of the process that made them.
    const pid = hasOwnRoot ? childrenOf(runner.pid)[0] : runner.pid;
    const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8');
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
    if (hasOwnRoot) expect(readdirSync(`/proc/${pid}/root`).sort()).not.toEqual(expect.arrayContaining(['etc']));
    if (hasNoNetwork) expect(read('net/dev')).not.toMatch(/eth|en\d/);
    runner.kill();
    await runner.exited;
  });
});

const FIRST = ['--pid', '--fork', '--mount-proc'];
/** Namespaces of processes need Linux, unshare and the right to make them. */
const inNamespace = spawnSync('unshare', [...FIRST, 'true']).status === 0;
(inNamespace ? test : test.skip)(
  `as the first process of a container the service leaves no zombies of its runners${inNamespace ? '' : ' (skipped: this machine lets us make no process namespace)'}`,
  async () => {
    const program = join(import.meta.dirname, 'first-process.ts');
    const first = spawn('unshare', [...FIRST, process.execPath, program], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [said] = (await once(first.stdout, 'data')) as [Buffer];
    const { pid, ends, zombies } = JSON.parse(said.toString());
    expect(pid).toBe(1);
    expect(ends).toEqual([...Array(5).fill('returned'), 'failed']);
    expect(zombies).toBe(0);
  },
  30_000,
);

describe('when the parent is gone', () => {
  test.each([
    ['waits, bare', 'bare', 'await svc.echo.say({})'],
    ['spins, bare', 'bare', 'while (true);'],
    ['waits, confined', 'confined', 'await svc.echo.say({})'],
    ['spins, confined', 'confined', 'while (true);'],
  ])('a runner that %s, ends', async (_what, how, code) => {
    const args = [join(import.meta.dirname, 'orphan-parent.ts'), how, code];
    const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [said] = (await once(parent.stdout, 'data')) as [Buffer];
    const root = Number(said.toString());
    const pids = [root, ...childrenOf(root).flatMap((child) => [child, ...childrenOf(child)])];
    expect(pids.every(isAlive)).toBe(true);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    await expect(Promise.all(pids.map(untilGone))).resolves.toBeDefined();
  });
});

function childrenOf(pid: number): number[] {
  return textOf(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

/** Of a process that may end at any moment, by itself too, as those that a runner's start consists of do. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

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

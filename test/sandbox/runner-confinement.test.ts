import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Confinement, confinementsFor, missingConfinements } from '../../sandbox/host/confinement.ts';
import { driveRunner } from '../../sandbox/host/drive-runner.ts';
import { launchRunner, type Runner, RunnerInterruptedError } from '../../sandbox/host/launch-runner.ts';
import { innermostProcess } from '../../sandbox/host/runner-process.ts';
import { startTightest } from '../../sandbox/host/start-tightest.ts';
import { anEchoHost, aRequest, aSandbox } from './a-sandbox.ts';
import { bare, childrenOf, isAlive, launch, program, textOf } from './runner-bed.ts';

const isRoot = process.getuid?.() === 0;
const onLinux = process.platform === 'linux' ? test : test.skip;

describe('confinement', () => {
  test('every confinement that this machine supports runs code in the same way', async () => {
    const outcomes = [];
    for (const confinement of confinementsFor(process.platform, isRoot)) {
      const runner = await launch(confinement).catch(() => undefined);
      if (runner) outcomes.push(await driveRunner(runner, aRequest('return (await svc.echo.say({ a: 1 })).a'), anEchoHost()));
    }
    expect(outcomes.length).toBeGreaterThan(0);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ kind: 'returned', value: '1' });
  });

  test('the tightest confinement comes first, and missingConfinements lists every missing part', () => {
    const asRoot = confinementsFor('linux', true);
    expect(asRoot[0]).toEqual({
      ...{ hasOwnRoot: true, hasNoNetwork: true, user: 'own', hasNoPrivileges: true },
      ...{ hasResourceLimits: true, hasCallFilter: true },
    });
    expect(asRoot[1]).toEqual({ ...asRoot[0]!, hasCallFilter: false });
    expect(missingConfinements(asRoot[0]!, true)).toEqual([]);
    expect(missingConfinements(confinementsFor('linux', false)[0]!, false)).toEqual([]);
    expect(missingConfinements(bare, true)).toHaveLength(6);
    expect(confinementsFor('win32', false)).toEqual([bare]);
  });

  describe('the choice of a confinement', () => {
    const candidates = confinementsFor(process.platform, isRoot);
    const anyTightest = () => startTightest(candidates, launch);
    const mute = { ...program, source: 'setInterval(() => {}, 60_000)' };

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
        await delay(20);
      }
      return start;
    };

    onLinux('a killed runner is replaced in the same confinement', async () => {
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

    onLinux('a start that fails once is retried, and a confinement that fails twice is unusable', async () => {
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

    onLinux('if every runner is killed, no confinement is chosen', async () => {
      const usual = await anyTightest();
      usual.runner.kill();
      const tried = new Set<Confinement>();
      const start = (one: Confinement) => launchKilled(tried.add(one) && one);
      await expect(startTightest(candidates.slice(candidates.indexOf(usual.confinement)), start)).rejects.toThrow(RunnerInterruptedError);
      expect([...tried]).toEqual([usual.confinement]);
    });
  });

  onLinux('a runner has only the variables of the shell, and the properties of its confinement', async () => {
    const sandbox = aSandbox();
    const { missing, ...confinement } = await sandbox.describeConfinement();
    await sandbox.close();
    const { hasOwnRoot, hasNoNetwork, user, hasNoPrivileges, hasResourceLimits, hasCallFilter } = confinement;
    const runner = await launch(confinement);
    // With namespaces, the runner is a child of the process that created the namespaces.
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
    if (user === 'own') expect(read('status')).toMatch(/Uid:\s+2\d{9}\s/);
    if (hasOwnRoot) expect(readdirSync(`/proc/${pid}/root`).sort()).not.toEqual(expect.arrayContaining(['etc']));
    if (hasCallFilter) expect(read('status')).toMatch(/Seccomp:\s+2/);
    if (hasNoNetwork) expect(read('net/dev')).not.toMatch(/eth|en\d/);
    runner.kill();
    await runner.exited;
  });
});

const FIRST = ['--pid', '--fork', '--mount-proc'];
const inNamespace = spawnSync('unshare', [...FIRST, 'true']).status === 0;
(inNamespace ? test : test.skip)(
  `as the first process of a container, the service leaves no zombie processes of runners${inNamespace ? '' : ' (skipped: this machine does not allow process namespaces)'}`,
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

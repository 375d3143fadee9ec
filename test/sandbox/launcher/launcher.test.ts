import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runUserRange, takeRunUser } from '../../../sandbox/host/run-users.ts';
import { canStart, launcherCode, launcherFile } from '../../../sandbox/launcher/launcher.ts';
import { systemCallFilter } from '../../../sandbox/launcher/system-call-filter.ts';
import { until } from '../../support/until.ts';

const SOURCE = join(import.meta.dirname, '../../../sandbox/launcher');
const has = (command: string, args = ['--version']) => spawnSync(command, args).status === 0;
const onX64 = process.platform === 'linux' && process.arch === 'x64' ? test : test.skip;
const filter = systemCallFilter('program')!;
// A filter with one instruction, which allows every call.
const everything = '000600007fff0000';

onX64('the launcher refuses the calls that the filter lists, and calls of the x32 ABI', async () => {
  const launcher = (await launcherFile())!;
  const errorOf = (...call: string[]) => spawnSync(launcher, [filter, launcher, '-c', ...call]).status;
  const without = (...call: string[]) => spawnSync(launcher, ['-c', ...call]).status;
  // These calls succeed only without a filter: keyctl, socket(AF_NETLINK), personality,
  // unshare(CLONE_FILES).
  for (const call of ['fa 0 fffffffd 1', '29 10 3 0', '87 ffffffff', '110 400']) {
    expect([call, without(...call.split(' '))]).toEqual([call, 0]);
    expect([call, errorOf(...call.split(' '))]).toEqual([call, 1]);
  }
  // Refused with EPERM: bpf, perf_event_open, userfaultfd, ptrace(TRACEME), add_key, request_key.
  for (const call of ['141', '12a', '143', '65 0', 'f8', 'f9']) expect([call, errorOf(call)]).toEqual([call, 1]);
  // Refused with ENOSYS: io_uring_setup, clone3, and getpid of x32.
  for (const call of ['1a9 1', '1b3', '40000027']) expect([call, errorOf(...call.split(' '))]).toEqual([call, 38]);
  // Allowed: getpid, socket(AF_INET, SOCK_STREAM).
  for (const call of ['27', '29 2 1 0']) expect([call, errorOf(...call.split(' '))]).toEqual([call, 0]);
});

onX64('the launcher starts a program with its arguments and environment, or exits with an error', async () => {
  const launcher = (await launcherFile())!;
  const { stdout } = spawnSync(launcher, [filter, '/usr/bin/env', '/bin/sh', '-c', 'echo "$0 $1 $A"', 'x', 'y z'], { env: { A: 'b' } });
  expect(stdout.toString()).toBe('x y z b\n');
  expect(spawnSync(launcher, [filter, '/no/such/program']).status).toBe(127);
  expect(spawnSync(launcher, [filter, 'env']).status).toBe(127);
  for (const wrong of [
    [],
    [filter],
    ['', '/bin/true'],
    ['nonsense', '/bin/true'],
    [filter.slice(0, -16), '/bin/true'],
    [filter.repeat(7), '/bin/true'],
    [`${filter} `, '/bin/true'],
  ])
    expect(spawnSync(launcher, wrong).status).toBe(126);
});

(process.getuid?.() === 0 ? onX64 : test.skip)(
  'the user of a program counts as taken while the program lives, because the launcher gives the program a keyring',
  async () => {
    const launcher = (await launcherFile())!;
    const user = takeRunUser();
    const processes: ChildProcess[] = [];
    // Two other processes take the users that this process would take next.
    for (const uid of [user + 1, user + 2])
      processes.push(spawn(launcher, [everything, '/bin/sleep', '60'], { uid, gid: uid, stdio: 'ignore' }));
    await until(() => [1, 2].every((more) => keysOf(user + more) > 0));
    expect(takeRunUser()).toBe(user + 3);
    for (const child of processes) child.kill('SIGKILL');
    await Promise.all(processes.map((child) => once(child, 'exit')));
    await until(() => keysOf(user + 1) === 0);
  },
);

test('if a trial run of the launcher is killed, `canStart` throws instead of answering false', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'launcher-test-'));
  const file = join(folder, 'launcher');
  writeFileSync(file, '#!/bin/sh\n[ -e "$0.ends" ] && exit 126\nkill -9 $$\n', { mode: 0o755 });
  await expect(canStart(file)).rejects.toMatchObject({ signal: 'SIGKILL' });
  writeFileSync(`${file}.ends`, '');
  expect(await canStart(file)).toBe(true);
  chmodSync(file, 0o644);
  expect(await canStart(file)).toBe(false);
  rmSync(folder, { recursive: true });
});

test('every run gets its own user, within one process and across processes', () => {
  const code = `import { takeRunUser } from ${JSON.stringify(join(SOURCE, '../host/run-users.ts'))}; console.log(JSON.stringify(Array.from({ length: 300 }, takeRunUser)))`;
  const elsewhere = [1, 2].map(() =>
    JSON.parse(execFileSync(process.execPath, ['--no-warnings', '--input-type=module-typescript', '--eval', code], { encoding: 'utf8' })),
  );
  const all = [...Array.from({ length: 300 }, takeRunUser), ...elsewhere.flat()];
  expect(new Set(all).size).toBe(900);
  for (const user of all) {
    expect(user).toBeGreaterThan(2_000_200_000);
    expect(user).toBeLessThan(2_147_352_576);
  }
});

test.each([
  ['all', '         0          0 4294967295\n', { first: 2_000_300_000, count: 147_000_000 }],
  ['a thousand million', '         0    1000000 1000000000\n', { first: 400_000, count: 147_000_000 }],
  ['half a million and more', '         0 100000 65536\n 65536 300000 600000\n', { first: 400_000, count: 265_536 }],
  ['too few', '         0     100000      65536\n', { first: 2_000_300_000, count: 147_000_000 }],
  ['nothing readable', '', { first: 2_000_300_000, count: 147_000_000 }],
])('in a container, runs use the mapped users if there are enough of them: %s', (_what, map, range) => {
  expect(runUserRange(map)).toEqual(range);
});

const isCompilerOfTheText = spawnSync('gcc', ['-dumpfullversion'], { encoding: 'utf8' }).stdout?.trim() === '12.2.0' && has('objcopy');
(isCompilerOfTheText ? onX64 : test.skip)('the launcher binary matches its source', () => {
  const folder = mkdtempSync(join(tmpdir(), 'launcher-test-'));
  execFileSync(join(SOURCE, 'build.sh'), [folder], { stdio: 'ignore' });
  const built = ['x64', ...(has('aarch64-linux-gnu-gcc') ? ['arm64'] : [])];
  for (const arch of built) {
    const name = `launcher-${arch}.hex`;
    expect([arch, readFileSync(join(folder, name), 'latin1')]).toEqual([arch, readFileSync(join(SOURCE, name), 'latin1')]);
  }
  rmSync(folder, { recursive: true });
});

(has('qemu-aarch64') ? test : test.skip)('the launcher works on arm64 too', () => {
  const folder = mkdtempSync(join(tmpdir(), 'launcher-test-'));
  const file = join(folder, 'launcher');
  writeFileSync(file, launcherCode('linux', 'arm64')!);
  chmodSync(file, 0o755);
  const errorOf = (...call: string[]) => spawnSync('qemu-aarch64', [file, ...call]).status;
  // The calls are getpid, close(1000) and an unknown call. The emulator accepts no filter.
  expect([errorOf('-c', 'ac'), errorOf('-c', '39', '3e8'), errorOf('-c', '7d0')]).toEqual([0, 9, 38]);
  expect([errorOf(), errorOf(everything, '/bin/true')]).toEqual([126, 126]);
  rmSync(folder, { recursive: true });
});

function keysOf(user: number): number {
  return Number(new RegExp(`^ *${user}: +(\\d+)`, 'm').exec(readFileSync('/proc/key-users', 'latin1'))?.[1] ?? 0);
}

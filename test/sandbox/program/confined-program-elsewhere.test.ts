import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cageCommand } from '../../../sandbox/cage/cage.ts';
import { openPrograms } from '../../../sandbox/program/open-programs.ts';
import { runProgram } from '../../../sandbox/program/run-program.ts';
import { until } from '../../support/until.ts';
import { ENVIRONMENT_SECRET, exited, openProgramBed, processesWith, USERS, untilGone } from './program-bed.ts';

const onPosix = process.platform === 'win32' ? describe.skip.each(USERS) : describe.each(USERS);
const without = { cages: ['bare'] as const };
const foldersOf = (pid: number) => readdirSync(tmpdir()).filter((name) => name.startsWith(`gateway-program-${pid}-`));

test('a program that arrives after the close is refused because the service is stopping', async () => {
  const programs = openPrograms({ logger: { warn: () => {}, error: () => {} }, allowsBare: false, hidden: [], cages: [] });
  await programs.close();
  const request = { language: 'shell', code: 'true', files: [], keepsFiles: false, timeMs: 1000 } as const;
  const result = await programs.run(request, new AbortController().signal);
  expect(result).toMatchObject({ code: 'CODE_UNAVAILABLE', message: expect.stringContaining('the service is stopping') });
});

onPosix('on a machine that cannot confine programs, where the service runs as %s', (name, uid) => {
  test('programs are refused, and the error states the reason', async () => {
    const bed = await openProgramBed(uid, without);
    expect(bed.cage).toBeNull();
    for (const language of ['python', 'shell'] as const) {
      const refusal = { kind: 'failed', code: 'CODE_UNAVAILABLE', message: expect.stringContaining('no way to confine') };
      expect(await bed.run('echo ran', { language })).toMatchObject({ ...refusal, stdout: '' });
    }
    await bed.close();
  });

  describe('if the operator allows programs anyway', () => {
    let bed: Awaited<ReturnType<typeof openProgramBed>>;
    beforeAll(async () => {
      bed = await openProgramBed(uid, { ...without, allowsBare: true });
    });
    afterAll(() => bed.close());

    test('a warning is logged once', () => {
      expect(bed.cage).toBe('bare');
      expect(bed.warnings).toEqual([expect.stringMatching(/unconfined: with the network of this machine/)]);
    });

    test('a program does not see the environment of the service, and has its own folder and limits', async () => {
      const result = exited(await bed.run('env; pwd; ulimit -n; ulimit -c; cat in.txt', { files: [aFile('in.txt', 'given')] }));
      expect(result.stdout).not.toContain(ENVIRONMENT_SECRET);
      expect(result.stdout).toMatch(/\/gateway-program-\d+-\w+\/workspace\n48\n0\ngiven$/);
      expect(exited(await bed.run('echo x > f', { keepsFiles: true })).files).toMatchObject([{ path: 'f' }]);
      expect(foldersOf(bed.pid)).toEqual([]);
    });

    test('a program can use the network of the machine, as the warning says', async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      const connect = `(exec 3<>/dev/tcp/127.0.0.1/${(server.address() as AddressInfo).port}) && echo reached`;
      expect(exited(await bed.run(`command -v bash >/dev/null || { echo reached; exit; }; ${connect}`)).stdout).toBe('reached\n');
      server.close();
    });

    test('a program and all processes that it started are ended at its deadline', async () => {
      const mark = `${1000 + Math.random()}`;
      expect(await bed.run(`sleep ${mark} & sleep ${mark}`, { timeMs: 500 })).toMatchObject({ kind: 'failed', code: 'CODE_TIMEOUT' });
      await untilGone(mark);
      expect(exited(await bed.run(`sleep ${mark} & sleep ${mark} >/dev/null 2>&1 & echo done`)).stdout).toBe('done\n');
      await untilGone(mark);
      expect(foldersOf(bed.pid)).toEqual([]);
    });

    test('a program is ended when the service is killed, and the next start deletes its folder', async () => {
      const doomed = await openProgramBed(uid, { ...without, allowsBare: true });
      const mark = `${1000 + Math.random()}`;
      void doomed.run(`sleep ${mark}`);
      await until(() => processesWith(mark).length > 0);
      await doomed.kill();
      await untilGone(mark);
      expect(foldersOf(doomed.pid)).toHaveLength(1);
      await (await openProgramBed(uid, without)).close();
      expect(foldersOf(doomed.pid)).toEqual([]);
    });

    // Only a service that runs as root can give each program its own user.
    const asRoot = name === 'root' ? test : (_promise: string, _check: () => Promise<void>) => {};

    asRoot('a program cannot read files of the service or of another program, and cannot outlive its run', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'program-test-'));
      writeFileSync(join(folder, 'secrets.json'), 'secret', { mode: 0o600 });
      const mark = `${1000 + Math.random()}`;
      const other = bed.run(`echo theirs > mine; sleep ${mark}`, { cancelAfterMs: 3000 });
      await until(() => processesWith(mark).length > 0);
      const code = `cat ${folder}/secrets.json /etc/shadow ${tmpdir()}/gateway-program-*/workspace/mine /proc/${bed.pid}/environ
        kill -9 ${bed.pid}; id -u; setsid sleep ${mark}9 & sleep 0.1`;
      const { stdout } = exited(await bed.run(code));
      expect(Number(stdout)).toBeGreaterThanOrEqual(500_000);
      await untilGone(`${mark}9`);
      expect(await other).toMatchObject({ kind: 'failed', code: 'CODE_CANCELED' });
      rmSync(folder, { recursive: true });
    });
  });
});

test('the error for a missing interpreter names the interpreter', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'program-test-'));
  for (const name of ['workspace', 'program', 'tmp']) mkdirSync(join(folder, name));
  const request = { language: 'python', code: '1', files: [], keepsFiles: false, timeMs: 10_000 } as const;
  const command = cageCommand('bare', { ...request, user: undefined, isFiltered: false, hidden: [], folder });
  const args = command.args.map((arg) => (arg === 'python3' ? 'python-that-is-not-here' : arg));
  expect(await runProgram({ ...command, args }, request, new AbortController().signal)).toMatchObject({
    kind: 'failed',
    code: 'CODE_INTERPRETER_MISSING',
    message: 'python3 is not installed on this machine',
  });
  rmSync(folder, { recursive: true });
});

function aFile(path: string, content: string) {
  return { path, content: Buffer.from(content), isExecutable: false };
}

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { driveRunner } from '../../../sandbox/host/drive-runner.ts';
import { launchRunner } from '../../../sandbox/host/launch-runner.ts';
import { openSandbox } from '../../../sandbox/host/open-sandbox.ts';
import { innermostProcess } from '../../../sandbox/host/runner-process.ts';
import { loadRunnerProgram } from '../../../sandbox/host/runner-program.ts';
import { aRequest } from '../a-sandbox.ts';
import { aHostileHost } from './hostile-host.ts';

const silent = () => {};
const bare = {
  hasOwnRoot: false,
  hasNoNetwork: false,
  user: 'same',
  hasNoPrivileges: false,
  hasResourceLimits: false,
  hasCallFilter: false,
} as const;
const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux("a runner has no file, pipe or socket of the host open, and sees none of the host's environment", async () => {
  process.env.LIVE_CANARY = 'a secret of the host';
  const sandbox = openSandbox({ logger: { warn: silent, error: silent }, poolSize: 0 });
  const { missing, ...confinement } = await sandbox.describeConfinement();
  await sandbox.close();
  const runner = await launchRunner({ program: loadRunnerProgram(), confinement, memoryMb: 128 });
  const asked = Promise.withResolvers<void>();
  const looked = Promise.withResolvers<void>();
  const pass = driveRunner(runner, aRequest('await svc.echo.say({}); return 1'), {
    onEvents: () => asked.resolve(),
    nextCompletion: () => looked.promise.then(() => ({ number: 0, now: 0, ok: true, value: 'null' })),
  });
  await asked.promise;
  const pid = await innermostProcess(runner.pid);
  const theirs = openOf(pid);
  const environment = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').filter(Boolean);
  const root = readlinkSync(`/proc/${pid}/root`);
  const ours = new Set(openOf('self'));
  looked.resolve();

  expect(environment.filter((entry) => !/^(PWD|OLDPWD|SHLVL|_)=/.test(entry))).toEqual([]);
  const files = theirs.filter((what) => !/^(pipe:|socket:|anon_inode:)/.test(what));
  const harmless = ['/dev/null', ...(confinement.hasOwnRoot ? [root] : [])];
  expect(files.filter((what) => !harmless.includes(what))).toEqual([]);
  // Anonymous inodes, such as anon_inode:[eventpoll], have the same names in every process.
  const shared = theirs.filter((what) => /^(pipe|socket):/.test(what) && ours.has(what));
  expect(shared).toEqual([]);
  expect(await pass).toMatchObject({ kind: 'returned' });
  await runner.exited;
});

function openOf(pid: number | 'self'): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      return []; // closed since the folder was read
    }
  });
}

function takenOver(deed: string) {
  const source = `
    const say = (text) => { const body = Buffer.from(text); const header = Buffer.alloc(4); header.writeUInt32BE(body.length); process.stdout.write(Buffer.concat([header, body])); };
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
    process.stdin.once('data', () => { say('{"kind":"ready"}'); process.stdin.once('data', () => { ${deed} }); }).on('end', () => process.exit());`;
  return launchRunner({ program: { source, bootstrap: '', addonPath: '-' }, confinement: bare, memoryMb: 128 });
}

test.each([
  [
    'writes to stderr without end',
    'const flood = () => { process.stderr.write("x".repeat(60_000)); setImmediate(flood) }; flood()',
    'CODE_TIMEOUT',
  ],
  ['writes to stderr without end or pause', 'for (;;) process.stderr.write("x".repeat(60_000))', 'CODE_TIMEOUT'],
  ['sends empty frames without end', 'for (;;) say("")', 'CODE_CRASHED'],
  [
    'sends a frame that never ends',
    'process.stdout.write(Buffer.from([0, 63, 255, 0])); for (let i = 0; i < 50; i++) process.stdout.write("x".repeat(60_000)); for (;;);',
    'CODE_TIMEOUT',
  ],
  ['announces a frame beyond the limit', 'for (;;) process.stdout.write(Buffer.alloc(60_000, 255))', 'CODE_CRASHED'],
  [
    'handles every signal and never ends',
    'for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGXCPU", "SIGPIPE"]) process.on(signal, () => {}); for (;;);',
    'CODE_TIMEOUT',
  ],
  ['does not read its input', 'process.stdin.pause(); setInterval(() => {}, 1000)', 'CODE_TIMEOUT'],
])('a process that %s is killed by the deadline at the latest, and little of its output is kept', async (_what, deed, code) => {
  const runner = await takenOver(deed);
  const result = await driveRunner(runner, aRequest('return 1', { limits: { timeMs: 300, memoryMb: 128 } }), aHostileHost());
  expect(result).toMatchObject({ kind: 'failed', error: { code } });
  expect(await runner.exited).toMatchObject({ signal: 'SIGKILL' });
  expect((await runner.exited).stderr.length).toBeLessThanOrEqual(4000);
});

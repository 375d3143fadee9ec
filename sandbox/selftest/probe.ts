/**
 * One attempt that native code in a runner could make. Node's permission model is off, so only the
 * kernel confines this process.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { ProbeTarget } from './run-probe.ts';

type Finding = { got: boolean; detail: string };

const MB = 1024 * 1024;
const FORKS = 100;
const SPIN_MS = 2000;
const DEADLINE_MS = 20_000;

const [name, given] = process.argv.slice(-2) as [string, string];
const target = JSON.parse(given) as ProbeTarget;

const PROBES: Record<string, () => Finding | Promise<Finding>> = {
  network: () =>
    new Promise((resolve) => {
      const socket = connect(target.port, '127.0.0.1');
      socket.once('connect', () => resolve({ got: true, detail: 'connected to a port of this machine' }));
      socket.once('error', (error) => resolve({ got: false, detail: error.message }));
    }),
  'system files': () => tryIt(() => `read ${readFileSync('/etc/passwd').length} bytes of /etc/passwd`),
  'service files': () => tryIt(() => `read ${readFileSync(target.ownFile).length} bytes of a file that only the service may read`),
  environment: () => {
    const { env } = process;
    const names = Object.keys(env);
    return { got: names.length > 0, detail: names.length > 0 ? `found ${names.join(', ')}` : 'empty' };
  },
  'writing files': () =>
    anyOf(['/tmp', '/var/tmp', '/dev/shm', '/', '.'].map((folder) => () => write(`${folder}/gateway-selftest-${randomUUID()}`))),
  processes: () => {
    const seen = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid);
    return { got: seen.length > 0, detail: `sees ${seen.length} other processes` };
  },
  'signals to the service': () => tryIt(() => signal(target.parentPid, 'the service')),
  'other runners': () => anyOf([() => signal(target.siblingPid, 'another runner'), () => readMemory(target.siblingPid)]),
  privileges: () =>
    anyOf([
      ...[0, 1, 65_534].filter((id) => id !== process.getuid!()).map((id) => () => become(id)),
      () => gainPrivileges(spawnSync(target.setpriv, ['--dump'], { encoding: 'utf8' }).stdout ?? ''),
    ]),
  keyring: () => tryCalls('keyring'),
  'system calls': () => tryCalls('calls'),
  forks: async () => {
    const children: ChildProcess[] = [];
    const started = [];
    const [program, ...args] = existsSync('/bin/sleep')
      ? ['/bin/sleep', '60']
      : [process.execPath, '--jitless', '--eval', 'setTimeout(() => {}, 60_000)'];
    for (let n = 0; n < FORKS; n += 1) {
      const child = spawn(program!, args, { stdio: 'inherit' });
      started.push(new Promise<boolean>((resolve) => child.once('spawn', () => resolve(true)).once('error', () => resolve(false))));
      children.push(child);
    }
    const count = (await Promise.all(started)).filter(Boolean).length;
    for (const child of children) child.kill('SIGKILL');
    return { got: count === FORKS, detail: `started ${count === FORKS ? `all ${FORKS} processes` : `${count} of ${FORKS} processes`}` };
  },
  memory: () => {
    const held: Buffer[] = [];
    try {
      while (held.length * 16 < 2 * target.memoryMaxMb) held.push(Buffer.alloc(16 * MB, 1));
    } catch {
      // Expected: the limit stops the allocation.
    }
    return { got: held.length * 16 > target.memoryMaxMb, detail: `${held.length * 16} MB` };
  },
  'processor time': () => {
    const usedMs = () => process.cpuUsage().user / 1000;
    for (const end = Date.now() + DEADLINE_MS; usedMs() < SPIN_MS && Date.now() < end; );
    return { got: true, detail: `spun for ${Math.round(usedMs() / 1000)} s under a limit of 1 s` };
  },
};

process.stdout.write('started\n');
const finding = await Promise.resolve()
  .then(PROBES[name])
  .catch((error: Error) => ({ got: false, detail: error.message }));
process.stdout.write(JSON.stringify(finding), () => process.exit());

function tryIt(attempt: () => string): Finding {
  try {
    return { got: true, detail: attempt() };
  } catch (error) {
    return { got: false, detail: (error as Error).message };
  }
}

function anyOf(attempts: (() => string)[]): Finding {
  const findings = attempts.map(tryIt);
  return findings.find(({ got }) => got) ?? findings[0]!;
}

/** Tries system calls through the launcher. Its exit code is the number of the error. */
function tryCalls(kind: keyof ProbeTarget['attempts']): Finding {
  if (!target.launcher) return { got: true, detail: 'not tried: there is no launcher for this kind of machine' };
  return anyOf(
    Object.entries(target.attempts[kind]).map(([name, call]) => () => {
      const { status, error } = spawnSync(target.launcher, ['-c', ...call.split(' ')], { stdio: 'inherit' });
      if (error) return `could not be tried: ${error.message}`;
      if (status !== 0) throw new Error(`refused (error ${status})`);
      return name;
    }),
  );
}

function signal(pid: number, whom: string): string {
  process.kill(pid, 0);
  return `may signal ${whom}`;
}

function readMemory(pid: number): string {
  closeSync(openSync(`/proc/${pid}/mem`, 'r'));
  return 'may read the memory of another runner';
}

function become(id: number): string {
  process.setuid!(id);
  return `became user ${id}`;
}

/** A file counts even if it stays empty: names alone can fill a disk. */
function write(path: string): string {
  const file = openSync(path, 'wx');
  try {
    writeFileSync(file, 'x');
    return `wrote ${path}`;
  } catch (error) {
    return `made ${path}, in which nothing could be written: ${(error as Error).message}`;
  } finally {
    closeSync(file);
    rmSync(path);
  }
}

function gainPrivileges(dump: string): string {
  if (/no_new_privs:\s*1/.test(dump)) throw new Error('no way to gain privileges');
  return 'setuid programs give it privileges';
}

import { readFileSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { memoryOfRunner } from '../domain/pass-turns.ts';
import type { RunnerFiles } from './runner-files.ts';

/** How a runner is started so that even native code that went astray inside it finds little to reach. */
export interface Confinement {
  /** Sees no file of this machine but those it is made of, and no other process: namespaces and a root folder of its own. */
  hasOwnRoot: boolean;
  /** No network: a network namespace with nothing in it. */
  hasNoNetwork: boolean;
  /** Whose rights the runner has: a user id of its own, one that all runners share, or ours. */
  user: 'own' | 'shared' | 'same';
  /** Capabilities dropped, no way to gain privileges, dies with its parent. */
  hasNoPrivileges: boolean;
  /** Kernel limits on memory, processor time, files and processes. */
  hasResourceLimits: boolean;
}

/** The ways to start a runner on this kind of machine, tightest first. The first one with which a runner comes up is used. */
export function confinementsFor(platform: NodeJS.Platform, isRoot: boolean): Confinement[] {
  const plain = { hasOwnRoot: false, hasNoNetwork: false, user: 'same', hasNoPrivileges: false } as const;
  const bare = [
    { ...plain, hasResourceLimits: true },
    { ...plain, hasResourceLimits: false },
  ];
  if (platform === 'win32') return bare.slice(1);
  const users = isRoot ? (['own', 'shared'] as const) : [];
  const dropped = users.map((user) => ({ ...plain, user, hasResourceLimits: true }));
  if (platform !== 'linux') return [...dropped, ...bare];
  const unprivileged = [...users, 'same' as const].flatMap((user) =>
    NAMESPACED.map((spaces) => ({ ...spaces, user, hasNoPrivileges: true, hasResourceLimits: true })),
  );
  return [...unprivileged, ...dropped, ...bare];
}

const NAMESPACED = [
  { hasOwnRoot: true, hasNoNetwork: true },
  { hasOwnRoot: false, hasNoNetwork: true },
  { hasOwnRoot: false, hasNoNetwork: false },
];

/** In words, what a confinement leaves open; an operator should know. */
export function missingConfinements(confinement: Confinement, isRoot: boolean): string[] {
  const missing = [];
  if (!confinement.hasNoNetwork) missing.push('code runners keep the network of this machine: namespaces are not available');
  if (!confinement.hasOwnRoot)
    missing.push('code runners keep the files that their user may read, and see other processes: no root folder of their own');
  if (confinement.user === 'shared') missing.push('code runners share one user id: they could reach each other');
  if (confinement.user === 'same' && isRoot)
    missing.push('code runners keep our user id: an unprivileged user cannot read the program files');
  if (!confinement.hasNoPrivileges) missing.push('code runners may gain privileges: setpriv is not available');
  if (!confinement.hasResourceLimits) missing.push('code runners have no resource limits: no POSIX shell');
  return missing;
}

export interface RunnerCommand {
  command: string;
  args: string[];
  uid?: number;
  gid?: number;
}

interface ConfineOptions {
  memoryMb: number;
  /** Sets the user ids of runners apart. */
  serial: number;
  isRoot: boolean;
  /** Needed for a root folder of its own. */
  files?: RunnerFiles | undefined;
  /** Of processor time; default: more than the longest run. */
  cpuSeconds?: number;
}

/** The command line that starts `program` (a path and its arguments) under a confinement. */
export function confine(confinement: Confinement, program: string[], options: ConfineOptions): RunnerCommand {
  const { isRoot, serial, files } = options;
  const user = { own: userOf(serial), shared: NOBODY, same: undefined }[confinement.user];
  const limits = limitScript(confinement, options);
  if (confinement.hasOwnRoot) return inOwnRoot(files!, limits, user, { program, isRoot });
  const unshare = confinement.hasNoNetwork ? ['unshare', ...(isRoot ? [] : ['--user', '--map-current-user']), '--net', '--ipc', '--'] : [];
  const setpriv = confinement.hasNoPrivileges ? ['setpriv', ...privilegeFlags(user, isRoot), '--'] : [];
  const limited = confinement.hasResourceLimits ? ['/bin/sh', '-c', `${limits}; unset PWD OLDPWD SHLVL; exec "$@"`, 'sh'] : [];
  const [command, ...args] = [...unshare, ...setpriv, ...limited, ...program];
  const isOurJob = user !== undefined && !confinement.hasNoPrivileges;
  return { command: command!, args, ...(isOurJob ? { uid: user, gid: user } : {}) };
}

function inOwnRoot(
  files: RunnerFiles,
  limits: string,
  user: number | undefined,
  { program, isRoot }: { program: string[]; isRoot: boolean },
): RunnerCommand {
  const unshare = [...(isRoot ? [] : ['--user', '--map-root-user']), ...OWN_NAMESPACES, '--fork', '--kill-child=SIGKILL', '--'];
  const rooted = ['/bin/sh', '-c', ROOT, 'sh', files.all.join('\n'), files.folders.join(' '), limits];
  const setpriv = [files.setpriv, ...privilegeFlags(user, true), '--'];
  return { command: files.setpriv, args: ['--pdeathsig=KILL', '--', 'unshare', ...unshare, ...rooted, ...setpriv, ...program] };
}

const OWN_NAMESPACES = ['--net', '--ipc', '--uts', '--cgroup', '--mount', '--pid'];
const ROOT = readFileSync(join(import.meta.dirname, 'cage/runner-root.sh'), 'utf8');

const OWN_USER_BASE = 400_000;
const USERS_A_PROCESS = 100;
const NOBODY = 65_534;

/** Two runners that live at once never share one, nor do those of two processes of the service, but for one in a thousand. */
function userOf(serial: number): number {
  return OWN_USER_BASE + (process.pid % 1000) * USERS_A_PROCESS + (serial % USERS_A_PROCESS);
}

function privilegeFlags(user: number | undefined, hasCapabilities: boolean): string[] {
  const identity = user === undefined ? [] : [`--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
  const capabilities = hasCapabilities ? ['--inh-caps=-all', '--bounding-set=-all'] : [];
  return [...identity, ...capabilities, '--no-new-privs', '--pdeathsig=KILL'];
}

const CPU_SECONDS = 330;

const [major = 0, minor = 0] = release().split('.').map(Number);
const COUNTS_APART = major > 5 || (major === 5 && minor >= 14);

/**
 * Kernel limits as a second line behind the isolate's own. Data covers heap and thread stacks but not reserved address
 * space, of which V8 takes much; processor time is above the longest run. One that this system lacks is left out. Where memory runs
 * short, the kernel ends a runner before anything else.
 */
function limitScript(confinement: Confinement, { memoryMb, cpuSeconds = CPU_SECONDS }: ConfineOptions): string {
  const dataKb = memoryOfRunner(memoryMb) * 1024;
  const limits = [`-d ${dataKb}`, `-t ${cpuSeconds}`, '-n 64', '-f 0', '-c 0'].map((limit) => `ulimit ${limit} 2>/dev/null || :`);
  // Threads count by user id: a limit on a shared one would let one runner starve another. Later kernels count in each user namespace apart.
  if (confinement.user === 'own' || (confinement.hasOwnRoot && confinement.user === 'same' && COUNTS_APART))
    limits.push('ulimit -p 64 2>/dev/null || ulimit -u 64 2>/dev/null || :');
  return [...limits, '{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null || :'].join('; ');
}

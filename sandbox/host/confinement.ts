import { readFileSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { LAUNCHER_FORMAT, LAUNCHER_IN_ROOT } from '../launcher/launcher.ts';
import { systemCallFilter } from '../launcher/system-call-filter.ts';
import type { RunnerFiles } from './runner-files.ts';
import { dataLimitMb } from './runner-memory.ts';

/** How a runner process is confined, in case code escapes from its isolate. */
export interface Confinement {
  /** The runner sees only its own files and no other process. */
  hasOwnRoot: boolean;
  /** The runner has an empty network namespace. */
  hasNoNetwork: boolean;
  /** The user id: `own` per runner, `shared` by all runners, or the `same` as the service's. */
  user: 'own' | 'shared' | 'same';
  /** The runner has no capabilities, and no way to gain privileges. */
  hasNoPrivileges: boolean;
  hasResourceLimits: boolean;
  /** The runner has a private session keyring, and its system calls are filtered. */
  hasCallFilter: boolean;
}

/** The confinements to try on this kind of machine, tightest first. */
export function confinementsFor(platform: NodeJS.Platform, isRoot: boolean): Confinement[] {
  const plain = { hasOwnRoot: false, hasNoNetwork: false, user: 'same', hasNoPrivileges: false, hasCallFilter: false } as const;
  const bare = [
    { ...plain, hasResourceLimits: true },
    { ...plain, hasResourceLimits: false },
  ];
  if (platform === 'win32') return bare.slice(1);
  const users = isRoot ? (['own', 'shared'] as const) : [];
  const dropped = users.map((user) => ({ ...plain, user, hasResourceLimits: true }));
  if (platform !== 'linux') return [...dropped, ...bare];
  const unprivileged = [...users, 'same' as const].flatMap((user) =>
    NAMESPACED.map((spaces) => ({ ...plain, ...spaces, user, hasNoPrivileges: true, hasResourceLimits: true })),
  );
  return [...unprivileged, ...dropped, ...bare].flatMap((one) => [{ ...one, hasCallFilter: true }, one]);
}

const NAMESPACED = [
  { hasOwnRoot: true, hasNoNetwork: true },
  { hasOwnRoot: false, hasNoNetwork: true },
  { hasOwnRoot: false, hasNoNetwork: false },
];

/** The gaps of a confinement for an operator, in one sentence each. */
export function missingConfinements(confinement: Confinement, isRoot: boolean): string[] {
  const missing = [];
  if (!confinement.hasNoNetwork && !confinement.hasCallFilter)
    missing.push('code runners can use the network of this machine: namespaces are not available');
  if (!confinement.hasOwnRoot)
    missing.push('code runners can read the files that their user may read, and see other processes: they have no separate root folder');
  if (confinement.user === 'shared') missing.push('code runners share one user id, so they could access each other');
  if (confinement.user === 'same' && isRoot)
    missing.push('code runners have the user id of the service: an unprivileged user cannot read the program files');
  if (!confinement.hasNoPrivileges) missing.push('code runners can gain privileges: setpriv is not available');
  if (!confinement.hasCallFilter)
    missing.push('code runners can make every system call, and share the keyring of the service: system calls are not filtered');
  if (!confinement.hasResourceLimits) missing.push('code runners have no resource limits: there is no POSIX shell');
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
  /** The user id of a runner with `user: own`. */
  ownUser?: number | undefined;
  /** The launcher file. Needed for a call filter without an own root folder. */
  launcher?: string | undefined;
  isRoot: boolean;
  /** The files in the own root folder, if the runner has one. */
  files?: RunnerFiles | undefined;
  cpuSeconds?: number;
}

/** The command that starts `program` (a path and its arguments) under a confinement. */
export function confine(confinement: Confinement, program: string[], options: ConfineOptions): RunnerCommand {
  const { isRoot, ownUser, files } = options;
  const user = { own: ownUser, shared: NOBODY, same: undefined }[confinement.user];
  const limits = limitScript(confinement, options);
  const filter = confinement.hasCallFilter ? systemCallFilter('runner') : undefined;
  if (confinement.hasOwnRoot) return inOwnRoot(files!, limits, user, { program, isRoot, filter });
  const unshare = confinement.hasNoNetwork ? ['unshare', ...(isRoot ? [] : ['--user', '--map-current-user']), '--net', '--ipc', '--'] : [];
  const setpriv = confinement.hasNoPrivileges ? ['setpriv', ...privilegeFlags(user, isRoot), '--'] : [];
  const limited = confinement.hasResourceLimits ? ['/bin/sh', '-c', `${limits}; unset PWD OLDPWD SHLVL; exec "$@"`, 'sh'] : [];
  const launched = filter === undefined ? [] : [options.launcher!, filter];
  const [command, ...args] = [...unshare, ...setpriv, ...limited, ...launched, ...program];
  const isOurJob = user !== undefined && !confinement.hasNoPrivileges;
  return { command: command!, args, ...(isOurJob ? { uid: user, gid: user } : {}) };
}

function inOwnRoot(
  files: RunnerFiles,
  limits: string,
  user: number | undefined,
  { program, isRoot, filter }: { program: string[]; isRoot: boolean; filter: string | undefined },
): RunnerCommand {
  const unshare = [...(isRoot ? [] : ['--user', '--map-root-user']), ...OWN_NAMESPACES, '--fork', '--kill-child=SIGKILL', '--'];
  const rooted = ['/bin/sh', '-c', ROOT, 'sh', files.all.join('\n'), files.folders.join(' '), limits, LAUNCHER_FORMAT];
  const setpriv = [files.setpriv, ...privilegeFlags(user, true), '--'];
  const launched = filter === undefined ? [] : [LAUNCHER_IN_ROOT, filter];
  return {
    command: files.setpriv,
    args: ['--pdeathsig=KILL', '--', 'unshare', ...unshare, ...rooted, ...setpriv, ...launched, ...program],
  };
}

const OWN_NAMESPACES = ['--net', '--ipc', '--uts', '--cgroup', '--mount', '--pid'];
const ROOT = readFileSync(join(import.meta.dirname, '../cage/runner-root.sh'), 'utf8');

const NOBODY = 65_534;

function privilegeFlags(user: number | undefined, hasCapabilities: boolean): string[] {
  const identity = user === undefined ? [] : [`--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
  const capabilities = hasCapabilities ? ['--inh-caps=-all', '--bounding-set=-all'] : [];
  return [...identity, ...capabilities, '--no-new-privs', '--pdeathsig=KILL'];
}

/** The longest run, plus 10 for earlier code in the process, plus 30 for other threads. */
const CPU_SECONDS = 300 + 10 + 30;
/** The stack of each thread. The kernel counts the whole stack as data, even unused parts. */
const STACK_KB = 2048;

const [major = 0, minor = 0] = release().split('.').map(Number);
const COUNTS_APART = major > 5 || (major === 5 && minor >= 14);

/**
 * The data limit covers heap and thread stacks, but not the address space that V8 reserves. The OOM
 * score makes the kernel kill a runner first when memory runs out.
 */
function limitScript(confinement: Confinement, { memoryMb, cpuSeconds = CPU_SECONDS }: ConfineOptions): string {
  const dataKb = dataLimitMb(memoryMb) * 1024;
  const limits = [`-s ${STACK_KB}`, `-d ${dataKb}`, `-t ${cpuSeconds}`, '-n 64', '-f 0', '-c 0'].map(
    (limit) => `ulimit ${limit} 2>/dev/null || :`,
  );
  // The kernel counts threads by user id, so with a shared id runners could use up each other's
  // limit. Newer kernels count each user namespace separately.
  if (confinement.user === 'own' || (confinement.hasOwnRoot && confinement.user === 'same' && COUNTS_APART))
    limits.push('ulimit -p 64 2>/dev/null || ulimit -u 64 2>/dev/null || :');
  return [...limits, '{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null || :'].join('; ');
}

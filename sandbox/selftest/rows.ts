import type { ReuseSetting } from './probe-reuse.ts';
import type { ProbeName } from './run-probe.ts';

export interface RowText {
  confinement: string;
  /** What native code in a runner could do without this confinement. */
  missing: string;
  remedy: string;
}

const NAMESPACES =
  'Let the user of the service create namespaces: package util-linux (unshare, setpriv, mount) and ldd; sysctl kernel.unprivileged_userns_clone=1 (Debian), kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu), user.max_user_namespaces above 0; or start it as root. In a container: --cap-add SYS_ADMIN --security-opt seccomp=unconfined --security-opt apparmor=unconfined, or a separate container for the worker, with no network except to Postgres and Temporal.';
const USER =
  'Start the service as root, in a folder that other users may enter: every runner then gets its own user id. Or let the service create namespaces, as above.';
const FILTER =
  'Linux 4.14 or later on x64 or arm64 with seccomp (CONFIG_SECCOMP_FILTER); without namespaces also a temporary folder that allows execution (not mounted noexec): /tmp, /var/tmp or /dev/shm.';
const SHELL = 'A POSIX shell with ulimit at /bin/sh, which every Unix has; Windows has none.';

/** Texts for each probe by native code. */
export const ROWS: Record<ProbeName, RowText> = {
  network: { confinement: 'no network', missing: 'it could call every address that this machine reaches', remedy: NAMESPACES },
  'system files': { confinement: 'no files of this machine', missing: 'it could read every world-readable file', remedy: NAMESPACES },
  'service files': {
    confinement: 'no files of the service',
    missing: 'it could read secrets.json and the database password',
    remedy: USER,
  },
  environment: {
    confinement: 'empty environment',
    missing: 'it could read environment variables',
    remedy: 'Use a shell that adds nothing to an empty environment.',
  },
  'writing files': {
    confinement: 'no file can be written',
    missing: 'it could create files until the disk is full',
    remedy: NAMESPACES,
  },
  processes: {
    confinement: 'other processes hidden',
    missing: 'it could see running processes and their command lines',
    remedy: NAMESPACES,
  },
  'signals to the service': { confinement: 'no signals to the service', missing: 'it could stop the service', remedy: USER },
  'other runners': { confinement: 'no access to other runners', missing: 'it could read the data of other runs', remedy: USER },
  privileges: {
    confinement: 'no way to gain privileges',
    missing: 'it could become another user',
    remedy: 'Package util-linux (setpriv).',
  },
  keyring: {
    confinement: 'own session keyring',
    missing: 'it could use the keys of the session that started the service, and leave keys there',
    remedy: FILTER,
  },
  'system calls': {
    confinement: 'system calls filtered',
    missing: 'it could reach parts of the kernel that it does not need, which may have flaws',
    remedy: FILTER,
  },
  forks: {
    confinement: 'number of processes limited',
    missing: 'it could start processes until no other program can start one',
    remedy: `${USER} The limit per user needs Linux 5.14 or later. Elsewhere: a limit on the whole service, such as TasksMax of systemd or --pids-limit of a container.`,
  },
  memory: { confinement: 'memory within its limit', missing: 'it could use all memory', remedy: SHELL },
  'processor time': {
    confinement: 'processor time within its limit',
    missing: 'it could use a processor without limit if the service does not stop it',
    remedy: SHELL,
  },
};

/** Texts for probes by callers' programs. */
export const CALLER_ROWS: Record<string, RowText> = {
  'what code sees': {
    confinement: 'code sees only the language',
    missing: 'code finds more than it should',
    remedy: 'Report this problem: the row must hold on every machine.',
  },
  'time of code': {
    confinement: 'code ends at its time limit',
    missing: 'code runs beyond its time limit',
    remedy: 'Report this problem: the row must hold on every machine.',
  },
  'memory of code': {
    confinement: 'code ends at its memory limit',
    missing: 'code takes more memory than its limit',
    remedy: 'Report this problem: the row must hold on every machine.',
  },
};

/** Texts for each value of SANDBOX_REUSE. */
export const REUSE_ROWS: Record<ReuseSetting, RowText> = {
  principal: {
    confinement: 'SANDBOX_REUSE=principal: passes isolated',
    missing: 'a pass finds data that another pass left behind',
    remedy: 'Report this problem: the row must hold on every machine.',
  },
  never: {
    confinement: 'SANDBOX_REUSE=never: one process per pass',
    missing: 'a process serves more than one pass',
    remedy: 'Report this problem: the row must hold on every machine.',
  },
};

/** Texts for programs of the integration advanced-code (decision record 12). */
export const PROGRAMS_ROW: RowText = {
  confinement: 'Python and shell programs in namespaces',
  missing: 'they are refused (or run unconfined, if ADVANCED_CODE_UNCONFINED allows it)',
  remedy: `${NAMESPACES} Also tar and pivot_root; python3 in /usr/bin.`,
};

export const PROGRAMS_FILTER_ROW: RowText = {
  confinement: 'Python and shell programs filtered',
  missing: 'they can make every system call, and use the keys of the session that started the service',
  remedy: FILTER,
};

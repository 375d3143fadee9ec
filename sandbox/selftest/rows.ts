import type { ProbeName } from './run-probe.ts';

export interface RowText {
  confinement: string;
  /** What a machine without it lets native code in a runner do. */
  missing: string;
  remedy: string;
}

const NAMESPACES =
  'Let the user of the service make namespaces: package util-linux (unshare, setpriv, mount) and ldd; sysctl kernel.unprivileged_userns_clone=1 (Debian), kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu), user.max_user_namespaces above 0; or start it as root. In a container: --cap-add SYS_ADMIN --security-opt seccomp=unconfined --security-opt apparmor=unconfined, or one container for the worker alone, with no network but to Postgres and Temporal.';
const USER =
  'Start the service as root, in a place that other users may enter: every runner then gets a user id of its own, which it cannot leave. Or let it make namespaces, as above.';
const SHELL = 'A POSIX shell with ulimit at /bin/sh, which every Unix has; Windows has none.';

/** What each probe is about, in the operator's words. */
export const ROWS: Record<ProbeName, RowText> = {
  network: { confinement: 'no network', missing: 'it could call what this machine can reach', remedy: NAMESPACES },
  'system files': { confinement: 'no files of this machine', missing: 'it could read what every user may read', remedy: NAMESPACES },
  'service files': {
    confinement: 'no files of the service',
    missing: 'it could read secrets.json and the database password',
    remedy: USER,
  },
  environment: {
    confinement: 'empty environment',
    missing: 'it could read what is set for it',
    remedy: 'A shell that adds nothing to an empty environment.',
  },
  'writing files': {
    confinement: 'no file can be written',
    missing: 'it could make files, empty ones at least, until the disk takes no more',
    remedy: NAMESPACES,
  },
  processes: { confinement: 'no other process in sight', missing: 'it could see what runs here, and command lines', remedy: NAMESPACES },
  'signals to the service': { confinement: 'no signals to the service', missing: 'it could stop the service', remedy: USER },
  'other runners': { confinement: 'runners apart from each other', missing: 'it could read what other runs hold', remedy: USER },
  privileges: { confinement: 'no way to privileges', missing: 'it could become another user', remedy: 'Package util-linux (setpriv).' },
  forks: {
    confinement: 'few processes',
    missing: 'it could start processes until nothing else can',
    remedy: `${USER} As another user that takes Linux 5.14 or later. Elsewhere: a limit on the service as a whole, such as TasksMax of systemd or --pids-limit of a container.`,
  },
  memory: { confinement: 'memory within its limit', missing: 'it could take all memory', remedy: SHELL },
  'processor time': {
    confinement: 'processor time within its limit',
    missing: 'it could spin for ever where the service does not end it',
    remedy: SHELL,
  },
};

/** The same of programs that callers write. */
export const CALLER_ROWS: Record<string, RowText> = {
  'what code sees': {
    confinement: 'code sees nothing but the language',
    missing: 'code finds more than it should',
    remedy: 'Report it: this must hold everywhere.',
  },
  'time of code': { confinement: 'code ends at its time', missing: 'code runs on', remedy: 'Report it: this must hold everywhere.' },
  'memory of code': {
    confinement: 'code ends at its memory',
    missing: 'code takes more memory',
    remedy: 'Report it: this must hold everywhere.',
  },
};

/** Of the integration advanced-code (docs/decisions/0012). */
export const PROGRAMS_ROW: RowText = {
  confinement: 'Python and shell programs in namespaces',
  missing: 'they are refused (or run unconfined, where ADVANCED_CODE_UNCONFINED says so)',
  remedy: `${NAMESPACES} Also tar and pivot_root; python3 in /usr/bin.`,
};

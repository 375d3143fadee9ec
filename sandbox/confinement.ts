/** How a runner is started so that even native code that went astray inside it finds little to reach. */
export interface Confinement {
  /** No network: a network namespace with nothing in it. */
  hasNoNetwork: boolean;
  /** Whose rights the runner has: a user id of its own, one that all runners share, or ours. */
  user: 'own' | 'shared' | 'same';
  /** Capabilities dropped, no way to gain privileges, dies with its parent. */
  hasNoPrivileges: boolean;
  /** Kernel limits on memory, processor time, files and processes. */
  hasResourceLimits: boolean;
}

const OWN_USER_BASE = 400_000;
const OWN_USERS = 100_000;
const NOBODY = 65_534;

/** The ways to start a runner on this kind of machine, tightest first. The first one with which a runner comes up is used. */
export function confinementsFor(platform: NodeJS.Platform, isRoot: boolean): Confinement[] {
  const plain = { hasNoNetwork: false, user: 'same', hasNoPrivileges: false } as const;
  const bare = [
    { ...plain, hasResourceLimits: true },
    { ...plain, hasResourceLimits: false },
  ];
  if (platform === 'win32') return bare.slice(1);
  const users = isRoot ? (['own', 'shared'] as const) : [];
  const dropped = users.map((user) => ({ ...plain, user, hasResourceLimits: true }));
  if (platform !== 'linux') return [...dropped, ...bare];
  const unprivileged = [...users, 'same' as const].flatMap((user) =>
    [true, false].map((hasNoNetwork) => ({ hasNoNetwork, user, hasNoPrivileges: true, hasResourceLimits: true })),
  );
  return [...unprivileged, ...dropped, ...bare];
}

/** In words, what a confinement leaves open; an operator should know. */
export function missingConfinements(confinement: Confinement, isRoot: boolean): string[] {
  const missing = [];
  if (!confinement.hasNoNetwork) missing.push('code runners keep the network of this machine: namespaces are not available');
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

/** The command line that starts `program` (a path and its arguments) under a confinement; `serial` sets runners' user ids apart. */
export function confine(
  confinement: Confinement,
  program: string[],
  options: { memoryMb: number; serial: number; isRoot: boolean },
): RunnerCommand {
  const user = { own: OWN_USER_BASE + (options.serial % OWN_USERS), shared: NOBODY, same: undefined }[confinement.user];
  const unshare = confinement.hasNoNetwork
    ? ['unshare', ...(options.isRoot ? [] : ['--user', '--map-current-user']), '--net', '--ipc', '--']
    : [];
  const setpriv = confinement.hasNoPrivileges ? ['setpriv', ...privilegeFlags(user, options.isRoot), '--'] : [];
  const limited = confinement.hasResourceLimits ? ['/bin/sh', '-c', limitScript(confinement, options.memoryMb), 'sh'] : [];
  const [command, ...args] = [...unshare, ...setpriv, ...limited, ...program];
  const isOurJob = user !== undefined && !confinement.hasNoPrivileges;
  return { command: command!, args, ...(isOurJob ? { uid: user, gid: user } : {}) };
}

function privilegeFlags(user: number | undefined, isRoot: boolean): string[] {
  const identity = user === undefined ? [] : [`--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
  const capabilities = isRoot ? ['--inh-caps=-all', '--bounding-set=-all'] : [];
  return [...identity, ...capabilities, '--no-new-privs', '--pdeathsig=KILL'];
}

/**
 * Kernel limits as a second line behind the isolate's own. Data covers heap and thread stacks but not reserved address
 * space, of which V8 takes much; processor time is above the longest run. One that this system lacks is left out.
 */
function limitScript(confinement: Confinement, memoryMb: number): string {
  const dataKb = (2 * memoryMb + 256) * 1024;
  const limits = [`-d ${dataKb}`, '-t 330', '-n 64', '-f 0', '-c 0'].map((limit) => `ulimit ${limit} 2>/dev/null`);
  // Threads count by user id; a limit on a shared one would let one runner starve another.
  if (confinement.user === 'own') limits.push('ulimit -p 64 2>/dev/null || ulimit -u 64 2>/dev/null');
  return `${limits.join('; ')}; exec nice -n 5 "$@"`;
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SANDBOX_PROGRAM } from '../domain/limits.ts';
import type { ProgramLanguage } from './program.ts';

/**
 * How Python and shell programs are held (docs/decisions/0012). `namespaces`: no network, no file of this machine but the system's
 * programs, processes of its own that end with it. `bare`: an empty environment and limits alone.
 */
export type Cage = 'namespaces' | 'bare';

/** Where and as whom a program runs. */
export interface CageOptions {
  isRoot: boolean;
  /** Sets the user ids of programs apart. */
  serial: number;
  /** Folders that no program may see, even where system programs lie above them. */
  hidden: readonly string[];
  /** Of the bare cage: a folder that holds `workspace`, `program` and `tmp`. */
  folder: string;
  language: ProgramLanguage;
  keepsFiles: boolean;
  timeMs: number;
}

export interface CageCommand {
  command: string;
  args: string[];
  env: Record<string, string>;
  uid?: number;
  gid?: number;
}

/** The command that runs a program in a cage; it speaks as `cage/inside.sh` says. */
export function cageCommand(cage: Cage, options: CageOptions): CageCommand {
  const user = options.isRoot ? userOf(options.serial) : undefined;
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', BOX_FOLDER_MB: String(SANDBOX_PROGRAM.folderMb) };
  const wrapped = (args: string[]) => ({ command: '/bin/sh', args: ['-c', REAL_PIPES, 'sh', ...args], env });
  if (cage === 'bare') {
    const identity = user === undefined ? {} : { uid: user, gid: user };
    return { ...wrapped(['/bin/sh', '-c', INSIDE, 'sh', ...insideArgs(options, options.folder, ':'), 'env']), ...identity };
  }
  const unshare = [
    'unshare',
    ...(user === undefined ? ['--user', '--map-root-user'] : []),
    ...NAMESPACES,
    '--fork',
    '--kill-child=SIGKILL',
  ];
  const rooted = ['/bin/sh', '-c', ROOT, 'sh', user === undefined ? '' : `${user}:${user}`, options.hidden.join('\n'), INSIDE];
  return wrapped([...unshare, ...rooted, ...insideArgs(options, '', 'kill -KILL -1'), ...dropRights(user)]);
}

/** The user id that programs of this number have when we are root; two that run at once never share one. */
export function userOf(serial: number): number {
  return OWN_USER_BASE + (process.pid % 1000) * USERS_A_PROCESS + (serial % USERS_A_PROCESS);
}

const OWN_USER_BASE = 500_000;
const USERS_A_PROCESS = 100;
const NAMESPACES = ['--net', '--ipc', '--uts', '--cgroup', '--mount', '--pid'];
const INTERPRETERS: Record<ProgramLanguage, string> = { python: 'python3', shell: 'bash sh' };

const script = (name: string) => readFileSync(join(import.meta.dirname, 'cage', name), 'utf8');
const ROOT = script('root.sh');
const INSIDE = script('inside.sh');
/** Node gives a child sockets, which /dev/stdout and /dev/stderr cannot be opened on. */
const REAL_PIPES = '{ { "$@" 2>&1 1>&6 6>&- | cat >&2 3<&- 4>&- 5<&- 6>&-; } 6>&1 | cat 3<&- 4>&- 5<&-; } 6>&-';

function insideArgs({ language, keepsFiles, timeMs }: CageOptions, at: string, reap: string): string[] {
  return [at, INTERPRETERS[language], keepsFiles ? 'keep' : '', limitScript(timeMs), reap];
}

/** A session of its own, so that a program that signals its group reaches nobody else; then no capability, and no way to any. */
function dropRights(user: number | undefined): string[] {
  const identity = user === undefined ? [] : [`--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
  return ['setsid', 'setpriv', ...identity, '--inh-caps=-all', '--bounding-set=-all', '--no-new-privs', '--'];
}

/** One that this system lacks is left out. Where memory runs short, the kernel ends a program before anything else. */
function limitScript(timeMs: number): string {
  const { addressSpaceMb, fileMb, processes, openFiles } = SANDBOX_PROGRAM;
  const seconds = Math.ceil(timeMs / 1000) + 1;
  const limits = [`-v ${addressSpaceMb * 1024}`, `-t ${seconds}`, `-f ${fileMb * 2048}`, `-n ${openFiles}`, '-c 0'];
  return [
    ...limits.map((limit) => `ulimit ${limit} 2>/dev/null`),
    `ulimit -p ${processes} 2>/dev/null || ulimit -u ${processes} 2>/dev/null`,
    '{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null',
  ].join('; ');
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SANDBOX_PROGRAM } from '../../domain/limits.ts';
import { LAUNCHER_FORMAT, LAUNCHER_IN_ROOT } from '../launcher/launcher.ts';
import { systemCallFilter } from '../launcher/system-call-filter.ts';
import type { ProgramLanguage } from '../program/program.ts';

/**
 * How Python and shell programs are confined (docs/decisions/0012).
 * `namespaces`: the program has its own process tree and no network. It sees only its own files and
 * system programs.
 * `bare`: the program shares the network, the files and the process tree of the service.
 */
export type Cage = 'namespaces' | 'bare';

export interface CageOptions {
  /** User id of the program if the service is root. Undefined: the service's user. */
  user: number | undefined;
  /** Whether the program gets a filter of system calls and its own session keyring. */
  isFiltered: boolean;
  /** The result of `launcherFile()`, for a filtered bare cage. */
  launcher?: string | undefined;
  /** Folders that the program must not see, even if system programs are inside them. */
  hidden: readonly string[];
  /** Contains the folders `workspace`, `program` and `tmp`. Used only by the bare cage. */
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

/** The command that runs a program in a cage. */
export function cageCommand(cage: Cage, options: CageOptions): CageCommand {
  const { user } = options;
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', BOX_FOLDER_MB: String(SANDBOX_PROGRAM.folderMb) };
  const wrapped = (args: string[]) => ({ command: '/bin/sh', args: ['-c', REAL_PIPES, 'sh', ...args], env });
  if (cage === 'bare') {
    const identity = user === undefined ? {} : { uid: user, gid: user };
    return {
      ...wrapped(['/bin/sh', '-c', INSIDE, 'sh', ...insideArgs(options, options.folder, ':'), ...launch(options, options.launcher)]),
      ...identity,
    };
  }
  const unshare = [
    'unshare',
    ...(user === undefined ? ['--user', '--map-root-user'] : []),
    ...NAMESPACES,
    '--fork',
    '--kill-child=SIGKILL',
  ];
  const rooted = [
    '/bin/sh',
    '-c',
    ROOT,
    'sh',
    user === undefined ? '' : `${user}:${user}`,
    options.hidden.join('\n'),
    options.isFiltered ? LAUNCHER_FORMAT : '',
    INSIDE,
  ];
  return wrapped([
    ...unshare,
    ...rooted,
    ...insideArgs(options, '', 'kill -KILL -1'),
    ...dropRights(user),
    ...launch(options, LAUNCHER_IN_ROOT),
  ]);
}

const NAMESPACES = ['--net', '--ipc', '--uts', '--cgroup', '--mount', '--pid'];
const INTERPRETERS: Record<ProgramLanguage, string> = { python: 'python3', shell: 'bash sh' };

const script = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
const ROOT = script('root.sh');
const INSIDE = script('inside.sh');
/**
 * Gives the program pipes in place of Node's sockets, because a socket cannot be opened through
 * /dev/stdout or /dev/stderr.
 */
const REAL_PIPES = '{ { "$@" 2>&1 1>&6 6>&- | cat >&2 3<&- 4>&- 5<&- 6>&-; } 6>&1 | cat 3<&- 4>&- 5<&-; } 6>&-';

function insideArgs({ language, keepsFiles, timeMs, user }: CageOptions, at: string, reap: string): string[] {
  const { processes, processesOfSharedUser } = SANDBOX_PROGRAM;
  const sharesUser = at !== '' && user === undefined;
  return [at, INTERPRETERS[language], keepsFiles ? 'keep' : '', limitScript(timeMs, sharesUser ? processesOfSharedUser : processes), reap];
}

/** Returns the start of the command line. The launcher needs an absolute path. */
function launch({ isFiltered }: CageOptions, launcher: string | undefined): string[] {
  return isFiltered ? [launcher!, systemCallFilter('program')!, '/usr/bin/env'] : ['env'];
}

/** Drops all privileges. In a new session, signals to the process group stay inside the cage. */
function dropRights(user: number | undefined): string[] {
  const identity = user === undefined ? [] : [`--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
  return ['setsid', 'setpriv', ...identity, '--inh-caps=-all', '--bounding-set=-all', '--no-new-privs', '--'];
}

/**
 * Returns shell commands that set the limits. The OOM score makes the kernel kill the program first
 * when memory runs out.
 */
function limitScript(timeMs: number, processes: number): string {
  const { addressSpaceMb, fileMb, openFiles } = SANDBOX_PROGRAM;
  const seconds = Math.ceil(timeMs / 1000) + 1;
  const limits = [`-v ${addressSpaceMb * 1024}`, `-t ${seconds}`, `-f ${fileMb * 2048}`, `-n ${openFiles}`, '-c 0'];
  return [
    ...limits.map((limit) => `ulimit ${limit} 2>/dev/null`),
    `ulimit -p ${processes} 2>/dev/null || ulimit -u ${processes} 2>/dev/null`,
    '{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null',
  ].join('; ');
}

import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cage } from '../../sandbox/cage.ts';
import type { ProgramRequest, ProgramResult } from '../../sandbox/program.ts';
import type { HostOptions, HostQuestion } from './program-host.ts';

const HOST = join(import.meta.dirname, 'program-host.ts');
const NOBODY = 65_534;
/** The descriptor that the process was given besides its own. */
export const LEAKED = 30;
/** In the environment of the process that runs programs, as the service's secrets are. */
export const ENVIRONMENT_SECRET = 'secret-of-the-environment';

type Answer = { id: number; cage: Cage | null; warnings: string[]; result: ProgramResult };

/** As whom programs are to be run: as root, both root and an ordinary user, where that one can read the sources. */
export const USERS: [name: string, uid: number | undefined][] =
  process.getuid?.() !== 0
    ? [['an ordinary user', undefined]]
    : [['root', undefined], ...(canRun(NOBODY) ? [['an ordinary user', NOBODY] as [string, number]] : [])];

/** A process of its own that runs programs, as `npm run api` is. */
export async function openProgramBed(uid: number | undefined, options: Partial<HostOptions> = {}) {
  const child = fork(HOST, {
    ...(uid === undefined ? {} : { uid, gid: uid }),
    serialization: 'advanced',
    // As a careless starter does: a folder of this machine, left open to the service and to whatever it starts.
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', ...Array<'ignore'>(LEAKED - 4).fill('ignore'), openSync('/', 'r')],
    execArgv: ['--no-warnings'],
    env: { TOKEN_PEPPER: ENVIRONMENT_SECRET },
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  child.on('message', (answer: Answer) => waiting.get(answer.id)!(answer));
  const ask = (question: Omit<HostQuestion, 'id'>) =>
    new Promise<Answer>((resolve) => {
      const id = waiting.size;
      waiting.set(id, resolve);
      child.send({ id, ...question });
    });
  const { cage, warnings } = await ask({ options: { allowsBare: false, hidden: [], ...options } });
  return {
    /** How programs are held; null: they are refused. */
    cage,
    warnings,
    pid: child.pid!,
    async run(code: string, request: Partial<ProgramRequest> & { cancelAfterMs?: number } = {}): Promise<ProgramResult> {
      const { cancelAfterMs, ...rest } = request;
      const whole = { language: 'shell', code, files: [], keepsFiles: false, timeMs: 20_000, ...rest } as const;
      return (await ask({ request: whole, ...(cancelAfterMs === undefined ? {} : { cancelAfterMs }) })).result;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
    close: async () => {
      if (!child.connected) return;
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

/** The exit of a program that was expected to end by itself. */
export function exited(result: ProgramResult) {
  if (result.kind !== 'exited') throw new Error(`not exited: ${JSON.stringify(result)}`);
  return result;
}

/** Processes of this machine whose command line holds the text. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Resolves when the processes whose command line holds the text are gone; they were killed, so that is a matter of the kernel. */
export async function untilGone(text: string): Promise<void> {
  while (processesWith(text).length > 0) await new Promise(setImmediate);
}

function canRun(uid: number): boolean {
  const { status } = spawnSync(process.execPath, ['--no-warnings', '--check', HOST], { uid, gid: uid, env: {}, stdio: 'ignore' });
  return status === 0;
}

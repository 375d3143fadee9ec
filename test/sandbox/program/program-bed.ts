import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cage } from '../../../sandbox/cage/cage.ts';
import type { ProgramRequest, ProgramResult } from '../../../sandbox/program/program.ts';
import { until } from '../../support/until.ts';
import type { HostOptions, HostQuestion } from './program-host.ts';

const HOST = join(import.meta.dirname, 'program-host.ts');
const NOBODY = 65_534;
/** Number of an extra descriptor that the process inherits. */
export const LEAKED = 30;
/** A secret in the environment of the process that runs programs. */
export const ENVIRONMENT_SECRET = 'secret-of-the-environment';

type Answer = { id: number; cage: Cage | null; warnings: string[]; result: ProgramResult };

/** The users that run the service in the tests. */
export const USERS: [name: string, uid: number | undefined][] =
  process.getuid?.() !== 0
    ? [['an ordinary user', undefined]]
    : [['root', undefined], ...(canRun(NOBODY) ? [['an ordinary user', NOBODY] as [string, number]] : [])];

/** The two kinds of confinement: with namespaces, and `bare` without namespaces. */
export const CAGES = [
  ['in namespaces', {}],
  ['without', { cages: ['bare'] as const, allowsBare: true }],
] as const;

/** Starts a child process that runs programs as the service does. */
export async function openProgramBed(uid: number | undefined, options: Partial<HostOptions> = {}) {
  const child = fork(HOST, {
    ...(uid === undefined ? {} : { uid, gid: uid }),
    serialization: 'advanced',
    // Passes a folder descriptor to the child, as a careless process manager would.
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', ...Array<'ignore'>(LEAKED - 4).fill('ignore'), openSync('/', 'r')],
    // Without --single-threaded, Node can hang at exit while V8 compiles in another thread
    // (nodejs/node#54918).
    execArgv: ['--no-warnings', '--single-threaded'],
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
    /** The confinement of programs; null if programs are refused. */
    cage,
    warnings,
    pid: child.pid!,
    async run(code: string, request: Partial<ProgramRequest> & { cancelAfterMs?: number } = {}): Promise<ProgramResult> {
      const { cancelAfterMs, ...rest } = request;
      const whole = { language: 'shell', code, files: [], keepsFiles: false, timeMs: 100_000, ...rest } as const;
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

/**
 * Opens a bed for the calling describe block. Without confinement, a test of `confined` expects a
 * refusal.
 */
export function useProgramBed(uid: number | undefined, options: Partial<HostOptions> = {}) {
  let bed: Awaited<ReturnType<typeof openProgramBed>>;
  beforeAll(async () => {
    bed = await openProgramBed(uid, options);
  });
  afterAll(() => bed.close());

  const confined = (title: string, check: () => Promise<void>) =>
    test(title, async () => {
      if (bed.cage !== null) return check();
      expect(await bed.run('true')).toMatchObject({ kind: 'failed', code: 'CODE_UNAVAILABLE' });
    });
  const run: typeof bed.run = (code, request) => bed.run(code, request);
  const output = async (code: string) => exited(await bed.run(code)).stdout;
  return { confined, run, output, pid: () => bed.pid };
}

/** The result of a program that exited by itself. Throws for any other result. */
export function exited(result: ProgramResult) {
  if (result.kind !== 'exited') throw new Error(`not exited: ${JSON.stringify(result)}`);
  return result;
}

/** Ids of the processes of this machine whose command line contains the text. */
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

/** Resolves when no process has the text in its command line. */
export async function untilGone(text: string): Promise<void> {
  await until(() => processesWith(text).length === 0);
}

function canRun(uid: number): boolean {
  const { status } = spawnSync(process.execPath, ['--no-warnings', '--check', HOST], { uid, gid: uid, env: {}, stdio: 'ignore' });
  return status === 0;
}

import { keepSuccess } from '../domain/keep-success.ts';
import { type Confinement, confinementsFor, missingConfinements } from './confinement.ts';
import { executePass } from './execute-pass.ts';
import { launchRunner, type Runner } from './launch-runner.ts';
import type { PassHost, PassRequest, PassResult } from './pass.ts';
import { warmCodeReader } from './read-code.ts';
import { openRunnerPool } from './runner-pool.ts';
import { loadRunnerProgram } from './runner-program.ts';
import { startTightest } from './start-tightest.ts';

export interface Sandbox {
  /** Run the code once, in a process of its own, from now on; a host that is not there yet is waited for. Whatever the code does is a result; only what `host` throws is thrown. */
  runPass(request: PassRequest, host: PassHost | Promise<PassHost>, signal?: AbortSignal): Promise<PassResult>;
  /** How runners are confined on this machine, and in words what is missing. */
  describeConfinement(): Promise<Confinement & { missing: string[] }>;
  /** Ends the waiting runners and the running passes. */
  close(): Promise<void>;
}

interface SandboxOptions {
  logger: Record<'warn' | 'error', (fields: object, message: string) => void>;
  /** Runners started ahead at rest, each about 50 MB of memory. */
  poolSize?: number;
  /** And so many when many were wanted at once lately; default: no more. */
  poolMost?: number;
  /** Of the runners started ahead; a pass that asks for another size gets a fresh one. */
  memoryMb?: number;
}

/** Start the boundary behind which caller-written code runs. Throws when isolated-vm is missing or unsafe. */
export function openSandbox({ logger, poolSize = 1, poolMost = poolSize, memoryMb = 128 }: SandboxOptions): Sandbox {
  warmCodeReader();
  const program = loadRunnerProgram();
  const isRoot = process.getuid?.() === 0;
  const closing = new AbortController();

  let first: Runner | undefined;
  const findConfinement = keepSuccess(async () => {
    const candidates = confinementsFor(process.platform, isRoot);
    const start = (confinement: Confinement) => launchRunner({ program, confinement, memoryMb });
    const { runner, confinement } = await startTightest(candidates, start);
    first = runner;
    for (const what of missingConfinements(confinement, isRoot)) logger.warn({ confinement }, what);
    return confinement;
  });
  findConfinement().catch((error) => logger.error({ err: error }, 'no code runner can be started'));

  const launch = async (sizeMb: number): Promise<Runner> => {
    const known = await findConfinement();
    const ready = sizeMb === memoryMb ? first : undefined;
    if (ready) first = undefined;
    return ready ?? launchRunner({ program, confinement: known, memoryMb: sizeMb });
  };
  const pool = openRunnerPool({ least: poolSize, most: poolMost }, () => launch(memoryMb));
  const running = new Set<Promise<unknown>>();

  const runPass: Sandbox['runPass'] = async (request, host, signal) => {
    let runner: Runner;
    try {
      runner = await (request.limits.memoryMb === memoryMb ? pool.take() : launch(request.limits.memoryMb));
    } catch (error) {
      logger.error({ err: error }, 'a code runner could not be started');
      return { kind: 'failed', error: { code: 'CODE_UNAVAILABLE', message: 'The sandbox is not available' }, logs: [], sandboxMs: 0 };
    }
    running.add(runner.exited);
    void runner.exited.then(() => running.delete(runner.exited));
    return executePass(runner, request, host, signal ? AbortSignal.any([signal, closing.signal]) : closing.signal);
  };

  return {
    runPass,
    async describeConfinement() {
      const confinement = await findConfinement();
      return { ...confinement, missing: missingConfinements(confinement, isRoot) };
    },
    async close() {
      closing.abort();
      await findConfinement.current()?.catch(() => {});
      await pool.close();
      first?.kill();
      await Promise.allSettled(running);
    },
  };
}

import { lazy } from '../../domain/lazy.ts';
import { warmCodeReader } from '../reader/read-code.ts';
import { type Confinement, confinementsFor, missingConfinements } from './confinement.ts';
import { driveRunner } from './drive-runner.ts';
import { launchRunner, type Runner } from './launch-runner.ts';
import type { PassHost, PassRequest, PassResult } from './pass.ts';
import { RunnerPool } from './runner-pool.ts';
import { loadRunnerProgram } from './runner-program.ts';
import { startTightest } from './start-tightest.ts';

export interface Sandbox {
  /**
   * Runs code once, in a process of its own. If the host is a promise, the code starts before the
   * host is awaited. Every outcome of the code is a result; only an error of the host is thrown.
   */
  runPass(request: PassRequest, host: PassHost | Promise<PassHost>, signal?: AbortSignal): Promise<PassResult>;
  /** How runners are confined on this machine, and what is missing, in words. */
  describeConfinement(): Promise<Confinement & { missing: string[] }>;
  /** Ends idle runners and running passes. */
  close(): Promise<void>;
}

interface SandboxOptions {
  logger: Record<'warn' | 'error', (fields: object, message: string) => void>;
  /** Idle runners kept ready, each about 50 MB of memory. */
  poolSize?: number;
  /**
   * The maximum number of idle runners, after many were needed in parallel. Default: `poolSize`.
   */
  poolMost?: number;
  /** Memory of the idle runners. A pass of another size gets a new runner. */
  memoryMb?: number;
}

/** Opens the sandbox for code of callers. Throws when isolated-vm is missing or unsafe. */
export function openSandbox({ logger, poolSize = 1, poolMost = poolSize, memoryMb = 128 }: SandboxOptions): Sandbox {
  warmCodeReader();
  const program = loadRunnerProgram();
  const isRoot = process.getuid?.() === 0;
  const closing = new AbortController();

  let first: Runner | undefined;
  const findConfinement = lazy(async () => {
    const candidates = confinementsFor(process.platform, isRoot);
    const start = (confinement: Confinement) => launchRunner({ program, confinement, memoryMb });
    const { runner, confinement } = await startTightest(candidates, start);
    first = runner;
    for (const what of missingConfinements(confinement, isRoot)) logger.warn({ confinement }, what);
    return confinement;
  });
  findConfinement().catch((error) => logger.error({ err: error }, 'no code runner can start'));

  const launch = async (sizeMb: number): Promise<Runner> => {
    const known = await findConfinement();
    const ready = sizeMb === memoryMb ? first : undefined;
    if (ready) first = undefined;
    return ready ?? launchRunner({ program, confinement: known, memoryMb: sizeMb });
  };
  const pool = new RunnerPool({ least: poolSize, most: poolMost }, () => launch(memoryMb));
  const running = new Set<Promise<unknown>>();

  const runPass: Sandbox['runPass'] = async (request, host, signal) => {
    let runner: Runner;
    try {
      runner = await (request.limits.memoryMb === memoryMb ? pool.take() : launch(request.limits.memoryMb));
    } catch (error) {
      logger.error({ err: error }, 'code runner not started');
      return { kind: 'failed', error: { code: 'CODE_UNAVAILABLE', message: 'The sandbox is not available' }, logs: [], sandboxMs: 0 };
    }
    running.add(runner.exited);
    void runner.exited.then(() => running.delete(runner.exited));
    return driveRunner(runner, request, host, signal ? AbortSignal.any([signal, closing.signal]) : closing.signal);
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

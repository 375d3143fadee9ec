import { lazy } from '../../domain/lazy.ts';
import { warmCodeReader } from '../reader/read-code.ts';
import { type Confinement, confinementsFor, missingConfinements } from './confinement.ts';
import { type KeptRunner, KeptRunners } from './kept-runners.ts';
import { launchRunner, type Runner } from './launch-runner.ts';
import type { PassEnd, PassHost, PassRequest, PassResult } from './pass.ts';
import { PrincipalRunner } from './principal-runner.ts';
import { runPassIn } from './run-pass.ts';
import { RunnerPool } from './runner-pool.ts';
import { loadRunnerProgram } from './runner-program.ts';
import { startTightest } from './start-tightest.ts';

export interface Sandbox {
  /**
   * Runs code in a new isolate, in a process that serves only the principal. An error, a time-out
   * or a crash of the code is a result too.
   */
  runPass(request: PassRequest, host: PassHost | Promise<PassHost>, signal?: AbortSignal): Promise<PassResult>;
  /** `missing`: a clause for each protection that is missing, for operators. */
  describeConfinement(): Promise<Confinement & { missing: string[] }>;
  /** The most recently used runner comes last. */
  keptRunners(): KeptRunner[];
  close(): Promise<void>;
}

interface SandboxOptions {
  logger: Record<'warn' | 'error', (fields: object, message: string) => void>;
  /** Unused runners kept ready. Each takes about 50 MB of memory. */
  poolSize?: number;
  /** The pool size under load. Default: `poolSize`. */
  poolMost?: number;
  /** Maximum of used runners kept for the next pass of their principal. 0: none is kept. */
  keptMost?: number;
  /** Memory limit of unused runners. A pass with another limit gets a new runner. */
  memoryMb?: number;
}

const KEPT_LEAST = 4;

class NotStartedError extends Error {}

const NOT_STARTED: PassEnd = { kind: 'failed', error: { code: 'CODE_UNAVAILABLE', message: 'The sandbox is not available' } };

/** Opens the sandbox for callers' code. Throws when isolated-vm or esbuild cannot be used. */
export function openSandbox(options: SandboxOptions): Sandbox {
  const { logger, poolSize = 1, poolMost = poolSize, keptMost = KEPT_LEAST, memoryMb = 128 } = options;
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
  const kept = new KeptRunners({ least: Math.min(KEPT_LEAST, keptMost), most: keptMost });
  const running = new Set<Promise<unknown>>();

  const startFor = async ({ principal, limits }: PassRequest): Promise<PrincipalRunner> => {
    try {
      const process = await (limits.memoryMb === memoryMb ? pool.take() : launch(limits.memoryMb));
      running.add(process.exited);
      void process.exited.then(() => running.delete(process.exited));
      return new PrincipalRunner(process, principal);
    } catch (error) {
      logger.error({ err: error }, 'code runner not started');
      throw new NotStartedError();
    }
  };

  const runPass: Sandbox['runPass'] = async (request, host, given) => {
    const signal = given ? AbortSignal.any([given, closing.signal]) : closing.signal;
    try {
      return await runPassIn({ kept, start: () => startFor(request) }, request, host, signal);
    } catch (error) {
      if (error instanceof NotStartedError) return { ...NOT_STARTED, logs: [], sandboxMs: 0 };
      throw error;
    }
  };

  return {
    runPass,
    async describeConfinement() {
      const confinement = await findConfinement();
      return { ...confinement, missing: missingConfinements(confinement, isRoot) };
    },
    keptRunners: () => kept.list(),
    async close() {
      closing.abort();
      kept.close();
      await findConfinement.current()?.catch(() => {});
      await pool.close();
      first?.kill();
      await Promise.allSettled(running);
    },
  };
}

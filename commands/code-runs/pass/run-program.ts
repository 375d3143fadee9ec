import { setTimeout as delay } from 'node:timers/promises';
import { REPLAY_VERSION } from '../../../domain/code-run.ts';
import type { Sandbox } from '../../../sandbox/host/open-sandbox.ts';
import type { PassHost, PassResult } from '../../../sandbox/host/pass.ts';
import { readJournal } from '../../../store/journal.ts';
import type { Gateway } from '../../gateway.ts';
import { RunFailure } from '../code-run-errors.ts';
import type { Pass } from './pass.ts';
import { PassJournalHost } from './pass-host.ts';

interface Options {
  /**
   * Resolves to the number of the pass. The code starts earlier, but its calls wait for this
   * promise.
   */
  begun: Promise<number>;
  /** The running time that is left. */
  timeMs: number;
  /**
   * Called with the list of logs, which grows while the code runs. A replacement of the runner
   * begins a new list.
   */
  onLogs: NonNullable<PassHost['onLogs']>;
}

/** Small, because each replacement can again use all memory of the machine. */
const MAX_REPLACEMENTS = 2;
/** Doubles for each further replacement, because the reason why runners are killed can persist. */
const REPLACE_AFTER_MS = 250;

/**
 * Runs the code of a pass in a runner, from the start of the code. A killed runner is replaced.
 * Throws RunFailure and PassReplacedError.
 */
export async function runProgram(gateway: Gateway, sandbox: Sandbox, pass: Pass, options: Options): Promise<PassResult> {
  const startedAt = performance.now();
  for (let replacements = 0; ; replacements += 1) {
    const elapsedMs = performance.now() - startedAt;
    const run = {
      ...pass.run,
      runningMs: pass.run.runningMs + elapsedMs,
      // The first runner has checked that the stored version is current, or that there was no
      // record. This pass records under the current version.
      ...(replacements > 0 && { replayVersion: REPLAY_VERSION }),
    };
    const attempt = {
      ...options,
      timeMs: options.timeMs - elapsedMs,
      isFirst: replacements === 0,
      isLast: replacements === MAX_REPLACEMENTS,
    };
    const result = await runInOneRunner(gateway, sandbox, { ...pass, run }, attempt);
    if (!isKilled(result, pass.signal) || attempt.isLast) return result;
    gateway.logger.warn({ codeRunId: run.id }, 'code runner killed, starting another');
    await delay(REPLACE_AFTER_MS * 2 ** replacements);
  }
}

async function runInOneRunner(
  gateway: Gateway,
  sandbox: Sandbox,
  pass: Pass,
  { begun, timeMs, onLogs, isFirst, isLast }: Options & { isFirst: boolean; isLast: boolean },
): Promise<PassResult> {
  const { run, signal } = pass;
  // Reads the journal only when the previous pass can no longer write to it.
  const opening = begun.then(async (passNumber) => {
    const journal = passNumber === 1 && isFirst ? { calls: [], timers: [] } : await readJournal(gateway.db, run.id);
    return new PassJournalHost(gateway, { ...pass, passNumber }, journal, onLogs);
  });
  opening.catch(() => {}); // the sandbox and the code below rethrow the error
  const { orgId, workspaceId, endUserId } = run;
  const request = {
    principal: { orgId, workspaceId, endUserId },
    program: pass.program,
    surface: pass.surface.actions,
    seed: run.id,
    startedAt: run.clockStartedAt.getTime(),
    limits: { timeMs, memoryMb: gateway.config.code.memoryMb, wholeMs: gateway.config.code.limitSeconds * 1000 },
  };
  try {
    const result = await sandbox.runPass(request, opening, signal);
    const host = await opening;
    if (signal.aborted) return result; // A later pass repeats the calls if the run was not canceled.
    if (isKilled(result, signal) && !isLast) await host.callsEnded();
    else if (result.kind !== 'failed' || result.error.code === 'CODE_STALLED') host.assertRepeated();
    else await host.abandonCalls();
    return result;
  } catch (error) {
    if (error instanceof RunFailure) await (await opening).abandonCalls();
    throw error;
  } finally {
    await opening.then(
      (host) => host.close(),
      () => {},
    );
  }
}

/** Whether the runner was killed, or none could start. */
function isKilled(result: PassResult, signal: AbortSignal): boolean {
  return result.kind === 'failed' && (result.wasKilled === true || result.error.code === 'CODE_UNAVAILABLE') && !signal.aborted;
}

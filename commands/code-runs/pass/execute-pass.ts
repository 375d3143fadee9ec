import type { LogLine, RunError, RunState } from '../../../domain/code-run.ts';
import type { Sandbox } from '../../../sandbox/host/open-sandbox.ts';
import type { PassResult } from '../../../sandbox/host/pass.ts';
import { beginLeasedPass, beginPass, pauseRun, recordStoppedPass } from '../../../store/code-run-transitions.ts';
import { PassReplacedError } from '../../../store/fence.ts';
import type { Gateway } from '../../gateway.ts';
import { RunFailure } from '../code-run-errors.ts';
import { type EndedPass, finishRun, passRecord } from '../finish-run.ts';
import { sealProgram } from '../plan/sealed-program.ts';
import { readRunState } from '../run-state.ts';
import { withLease } from './lease.ts';
import type { Pass } from './pass.ts';
import { runProgram } from './run-program.ts';

/** A pass that may begin now. */
export interface NewPass extends Omit<Pass, 'run'> {
  run: Omit<Pass['run'], 'clockStartedAt'> & { clockStartedAt: Date | null };
  /** True if the pass begins before the Temporal task of the run arrives. */
  isEager: boolean;
}

/**
 * Executes the next pass of a run, and returns the new state of the run. Throws PassReplacedError
 * if another pass has taken over or the run has ended.
 */
export async function executePass(gateway: Gateway, sandbox: Sandbox, { isEager, ...given }: NewPass): Promise<RunState> {
  // The clock starts with the first pass, because people may have taken days to approve the plan.
  const run = { ...given.run, clockStartedAt: given.run.clockStartedAt ?? new Date() };
  const program = given.program && sealProgram(gateway, run, given.program);
  const begin = isEager ? beginLeasedPass : beginPass;
  const begun = begin(gateway.db, run, given.plan, program);
  const execute = () => runAndRecord(gateway, sandbox, { ...given, run }, begun);
  return isEager ? withLease(gateway, { codeRunId: run.id, begun, signal: given.signal }, execute) : execute();
}

async function runAndRecord(gateway: Gateway, sandbox: Sandbox, pass: Pass, begun: Promise<number>): Promise<RunState> {
  const { run, signal } = pass;
  const { limitSeconds } = gateway.config.code;
  const timeMs = limitSeconds * 1000 - run.runningMs;
  if (timeMs <= 0) {
    await begun;
    return finishRun(gateway, run, 'failed', { code: 'CODE_TIMEOUT', message: `The code ran longer than ${limitSeconds} seconds` });
  }
  const startedAt = performance.now();
  let logs: readonly LogLine[] = [];
  let result: PassResult | undefined;
  const onLogs = (lines: readonly LogLine[]) => {
    logs = lines;
  };
  const ended = async (): Promise<EndedPass> => ({ result, logs, runningMs: performance.now() - startedAt, passNumber: await begun });
  try {
    result = await runProgram(gateway, sandbox, pass, { begun, timeMs, onLogs });
    if (signal.aborted) throw signal.reason;
    if (result.kind === 'paused') return await pause(gateway, pass, await ended());
    return await finishRun(gateway, run, result.kind === 'returned' ? 'executed' : 'failed', errorOf(result), await ended());
  } catch (error) {
    if (error instanceof PassReplacedError) await record(gateway, pass, await ended(), recordStoppedPass);
    if (!(error instanceof RunFailure)) throw error;
    return finishRun(gateway, run, 'failed', { code: error.code, message: error.message }, await ended());
  }
}

async function pause(gateway: Gateway, pass: Pass, ended: EndedPass): Promise<RunState> {
  const isPaused = await record(gateway, pass, ended, pauseRun);
  if (!isPaused) await record(gateway, pass, ended, recordStoppedPass);
  return readRunState(gateway, pass.run.id, 'waiting');
}

function record({ db }: Gateway, { run }: Pass, ended: EndedPass, write: typeof pauseRun | typeof recordStoppedPass): Promise<boolean> {
  return write(db, run.id, passRecord(run, ended), ended.runningMs);
}

function errorOf(result: PassResult): RunError | null {
  return result.kind === 'threw' || result.kind === 'failed' ? result.error : null;
}

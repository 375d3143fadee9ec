import type { CodeRun, LogLine, RunError } from '../domain/code-run.ts';
import type { Sandbox } from '../sandbox/open-sandbox.ts';
import type { PassResult } from '../sandbox/pass.ts';
import { beginLeasedPass, beginPass, keepStoppedPass, pauseRun } from '../store/code-run-moves.ts';
import { PassReplacedError } from '../store/fence.ts';
import { RunFailure } from './code-run-errors.ts';
import { type AdvancedCodeRun, endCodeRun, type MadePass, passRecord, standing } from './end-code-run.ts';
import type { Gateway } from './gateway.ts';
import type { RunPlan } from './plan-code-run.ts';
import { type NewPass, runPass } from './run-pass.ts';
import { underLease } from './under-lease.ts';

/** A pass that the run is to make now. */
export interface PassToMake extends Omit<NewPass, 'timeMs' | 'onLogs' | 'run'> {
  run: CodeRun;
  plan: RunPlan;
  /** The pass begins ahead of the task of the run's workflow, which waits for it then. */
  isAhead: boolean;
}

type ClockedPass = PassToMake & Pick<NewPass, 'run'>;

/** Makes the next pass of a run and writes down where it came to: a gate, or its end. Throws PassReplacedError where it is not this pass's to write. */
export async function makePass(gateway: Gateway, sandbox: Sandbox, given: PassToMake): Promise<AdvancedCodeRun> {
  const { db } = gateway;
  const run = { ...given.run, clockStartedAt: clockStartOf(given.run) };
  const begun = given.isAhead ? beginLeasedPass(db, run, given.plan) : beginPass(db, run, given.plan);
  const make = () => pass(gateway, sandbox, { ...given, run }, begun);
  return given.isAhead ? underLease(gateway, { codeRunId: run.id, begun, signal: given.signal }, make) : make();
}

/** An approval may have taken days: the code is not to think that it is still the day on which it was sent. */
function clockStartOf({ clockStartedAt, passNumber, createdAt }: CodeRun): Date {
  return clockStartedAt ?? (passNumber === 0 ? new Date() : createdAt);
}

async function pass(gateway: Gateway, sandbox: Sandbox, given: ClockedPass, begun: Promise<number>): Promise<AdvancedCodeRun> {
  const { run } = given;
  const startedAt = performance.now();
  const runningMs = () => performance.now() - startedAt;
  const { limitSeconds } = gateway.config.code;
  const timeMs = limitSeconds * 1000 - run.runningMs;
  if (timeMs <= 0) {
    await begun;
    return endCodeRun(gateway, run, 'failed', { code: 'CODE_TIMEOUT', message: `The code ran longer than ${limitSeconds} seconds` });
  }
  let logs: readonly LogLine[] = [];
  const onLogs = (lines: readonly LogLine[]) => {
    logs = lines;
  };
  let result: PassResult | undefined;
  const made = async () => ({ result, logs, runningMs: runningMs() - (result?.readMs ?? 0), passNumber: await begun });
  try {
    result = await runPass(gateway, sandbox, { ...given, timeMs, onLogs }, begun);
    if (given.signal.aborted) throw given.signal.reason;
    if (result.kind === 'paused') return await pause(gateway, run, await made());
    return await endCodeRun(gateway, run, result.kind === 'returned' ? 'executed' : 'failed', errorOf(result), await made());
  } catch (error) {
    if (error instanceof PassReplacedError) await keep(gateway, run, await made(), keepStoppedPass);
    if (!(error instanceof RunFailure)) throw error;
    return endCodeRun(gateway, run, 'failed', { code: error.code, message: error.message }, await made());
  }
}

/** One that was canceled at that very moment has the log all the same. */
async function pause(gateway: Gateway, run: CodeRun, made: MadePass): Promise<AdvancedCodeRun> {
  const isPaused = await keep(gateway, run, made, pauseRun);
  if (!isPaused) await keep(gateway, run, made, keepStoppedPass);
  return standing(gateway, run.id, 'waiting');
}

/** Writes down, with one of the two moves, what a pass leaves that does not end its run. */
function keep({ db }: Gateway, run: CodeRun, made: MadePass, move: typeof pauseRun | typeof keepStoppedPass): Promise<boolean> {
  return move(db, run.id, passRecord(run, made), made.runningMs);
}

function errorOf(result: PassResult): RunError | null {
  return result.kind === 'threw' || result.kind === 'failed' ? result.error : null;
}

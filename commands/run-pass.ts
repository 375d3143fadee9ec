import { setTimeout as delay } from 'node:timers/promises';
import type { CodeRun } from '../domain/code-run.ts';
import type { Sandbox } from '../sandbox/open-sandbox.ts';
import type { PassHost, PassResult } from '../sandbox/pass.ts';
import { readJournal } from '../store/journal.ts';
import { RunFailure } from './code-run-errors.ts';
import type { Gateway } from './gateway.ts';
import { type OpenPass, openPassHost } from './pass-host.ts';
import type { RunPlan } from './plan-code-run.ts';
import type { Surface } from './surface-cache.ts';

export interface Pass extends NewPass {
  passNumber: number;
}

export interface NewPass {
  run: CodeRun & { clockStartedAt: Date };
  plan: RunPlan | undefined;
  surface: Surface;
  /** Milliseconds that are left of the run's own time. */
  timeMs: number;
  signal: AbortSignal;
  /** Hears what the code writes, however the pass ends. */
  onLogs: NonNullable<PassHost['onLogs']>;
}

/**
 * One pass of a run: the code from its start, its recorded calls answered from the journal in their recorded order, new calls taken
 * through the gate and recorded. A gate that needs a person ends it, once no other call is under way. Where somebody else kills the process of the
 * code, another one goes on from the journal. The code starts at once; nothing of it is heard before the pass has `begun`, which answers its number.
 * Throws RunFailure, PassReplacedError.
 */
export async function runPass(gateway: Gateway, sandbox: Sandbox, pass: NewPass, begun: Promise<number>): Promise<PassResult> {
  const startedAt = performance.now();
  let readMs = 0;
  for (let replacements = 0; ; replacements += 1) {
    const elapsedMs = performance.now() - startedAt - readMs;
    const isLast = replacements === MOST_REPLACEMENTS;
    const run = { ...pass.run, runningMs: pass.run.runningMs + elapsedMs };
    const result = await runInOneProcess(
      gateway,
      sandbox,
      { ...pass, run, timeMs: pass.timeMs - elapsedMs },
      { begun, isFirst: replacements === 0, isLast },
    );
    readMs += result.readMs ?? 0;
    if (!isLost(result, pass.signal) || isLast) return { ...result, readMs };
    gateway.logger.warn({ codeRunId: pass.run.id }, 'the process of a code run was killed and gets a successor');
    await delay(REPLACE_AFTER_MS * 2 ** replacements);
  }
}

/** A program that takes all memory of the machine is not tried for ever. */
const MOST_REPLACEMENTS = 2;
/** Whoever killed it may be killing them all, those among them that were started ahead. */
const REPLACE_AFTER_MS = 250;

function isLost(result: PassResult, signal: AbortSignal): boolean {
  return result.kind === 'failed' && (result.wasKilled === true || result.error.code === 'CODE_UNAVAILABLE') && !signal.aborted;
}

async function runInOneProcess(
  gateway: Gateway,
  sandbox: Sandbox,
  pass: NewPass,
  { begun, isFirst, isLast }: { begun: Promise<number>; isFirst: boolean; isLast: boolean },
): Promise<PassResult> {
  const opening = begun.then((passNumber) => openHost(gateway, { ...pass, passNumber }, isFirst));
  opening.catch(() => {}); // the sandbox throws it, and so does what follows
  const request = {
    code: pass.run.code,
    surface: pass.surface.actions,
    seed: pass.run.id,
    startedAt: pass.run.clockStartedAt.getTime(),
    limits: { timeMs: pass.timeMs, memoryMb: gateway.config.code.memoryMb, wholeMs: gateway.config.code.limitSeconds * 1000 },
    party: pass.run.orgId,
  };
  try {
    const result = await sandbox.runPass(request, opening, pass.signal);
    const host = await opening;
    if (isLost(result, pass.signal) && !isLast) await host.callsEnded();
    else if (result.kind !== 'failed' || result.error.code === 'CODE_STALLED') host.assertRepeated();
    else await host.giveUpRest();
    return result;
  } catch (error) {
    if (error instanceof RunFailure) await (await opening).giveUpRest();
    throw error;
  } finally {
    await opening.then(
      (host) => host.close(),
      () => {},
    );
  }
}

/** Reads the journal when no other pass writes to it any more. */
async function openHost(gateway: Gateway, pass: Pass, isFirst: boolean): Promise<OpenPass> {
  const isNew = pass.passNumber === 1 && isFirst;
  return openPassHost(gateway, pass, isNew ? { calls: [], timers: [] } : await readJournal(gateway.db, pass.run.id));
}

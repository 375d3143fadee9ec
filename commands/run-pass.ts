import pLimit from 'p-limit';
import { aboutCall } from '../domain/activity.ts';
import { connectionOf } from '../domain/binding.ts';
import type { Call, CallOutcome, RecordedCall } from '../domain/call.ts';
import type { CodeRun } from '../domain/code-run.ts';
import { GatewayError, validationError } from '../domain/errors.ts';
import { CODE_RUN } from '../domain/limits.ts';
import type { Sandbox } from '../sandbox/open-sandbox.ts';
import type { PassHost, PassResult, SandboxEvent } from '../sandbox/pass.ts';
import {
  finishJournalCall,
  finishTimer,
  insertJournalCall,
  insertTimer,
  type Journal,
  markJournalCallUnknown,
  readJournal,
  startJournalCall,
} from '../store/journal.ts';
import { admitCall, admitHeldCall } from './admit-call.ts';
import { bareCallOfRun, requestOfRun } from './call-of-run.ts';
import { RunFailure } from './code-run-errors.ts';
import { openCompletions } from './completions.ts';
import type { Gateway } from './gateway.ts';
import { hashCall, hashJson } from './hash-call.ts';
import { performCall } from './perform-call.ts';
import type { RunPlan } from './plan-code-run.ts';
import { openCoverage } from './plan-coverage.ts';
import { prepareCall } from './prepare-call.ts';
import { recordActivity } from './record-activity.ts';
import { replayOf, toCompletion } from './replay.ts';
import type { Surface } from './surface-cache.ts';

export interface Pass {
  run: CodeRun;
  passNumber: number;
  plan: RunPlan | undefined;
  surface: Surface;
  /** Milliseconds that are left of the run's own time. */
  timeMs: number;
  signal: AbortSignal;
}

/**
 * One pass of a run: the code from its start, its recorded calls answered from the journal in their recorded order, new calls taken
 * through the gate and recorded. A gate that needs a person ends it, once no other call is under way. Throws RunFailure, PassReplacedError.
 */
export async function runPass(gateway: Gateway, sandbox: Sandbox, pass: Pass): Promise<PassResult> {
  const journal = pass.passNumber === 1 ? { calls: [], timers: [] } : await readJournal(gateway.db, pass.run.id);
  const host = openPassHost(gateway, pass, journal);
  const request = {
    code: pass.run.code,
    surface: pass.surface.actions,
    seed: pass.run.id,
    startedAt: pass.run.createdAt.getTime(),
    limits: { timeMs: pass.timeMs, memoryMb: gateway.config.code.memoryMb },
  };
  try {
    return await sandbox.runPass(request, host, pass.signal);
  } finally {
    host.close();
  }
}

type CallEvent = Extract<SandboxEvent, { kind: 'call' }>;
type TimerEvent = Extract<SandboxEvent, { kind: 'timer' }>;

function openPassHost(gateway: Gateway, pass: Pass, journal: Journal): PassHost & { close(): void } {
  const { db } = gateway;
  const fence = { codeRunId: pass.run.id, passNumber: pass.passNumber };
  const recordedCalls = new Map(journal.calls.map((call) => [call.callNumber!, call]));
  const recordedTimers = new Map(journal.timers.map((timer) => [timer.number, timer]));
  const coverage = openCoverage(pass.plan);
  const completions = openCompletions(replayOf(journal));
  const inFlight = pLimit(CODE_RUN.maxCallsInFlight);
  const timers = new Set<NodeJS.Timeout>();
  const passStartedAt = performance.now();

  const onEvents = (events: SandboxEvent[]) => {
    for (const event of events) {
      completions.issued(event.number);
      if (event.kind === 'timer') completions.follow(setTimer(event), { pauses: false });
      else completions.follow(onCall(event), { pauses: true });
    }
  };

  const onCall = async (event: CallEvent): Promise<void> => {
    const input: unknown = JSON.parse(event.input);
    const requestHash = hashJson([event.alias, event.action, input]);
    const recorded = recordedCalls.get(event.number);
    if (recorded) assertSame(recorded, event, requestHash);
    if (recorded?.outcome) {
      if (recorded.approvalId)
        coverage.claim({ alias: event.alias, action: event.action, inputHash: recorded.inputHash, connection: undefined });
      return;
    }
    await inFlight(() => makeCall(event, input, requestHash, recorded));
  };

  const makeCall = async (event: CallEvent, input: unknown, requestHash: string, recorded: RecordedCall | undefined): Promise<void> => {
    const startedAt = new Date();
    const tool = pass.surface.find(event.alias, event.action)!;
    const startedMs = Math.round(pass.run.runningMs + performance.now() - passStartedAt);
    const program = { codeHash: pass.run.codeHash, toolSurfaceHash: pass.plan?.toolSurfaceHash ?? null };
    const place = { ...fence, ...program, callNumber: event.number, requestHash, startedMs };
    let call: Call = { ...bareCallOfRun(pass.run, tool, {}), run: { ...place, planApprovals: {} } };
    let inputHash = requestHash;
    let callId: string | null = null;
    let outcome: CallOutcome;
    try {
      const prepared = await prepareCall(gateway, requestOfRun(pass.run, tool, asInput(input)));
      inputHash = hashCall(prepared.call);
      const connection = connectionOf(prepared.call);
      const planApprovals = coverage.claim({ alias: event.alias, action: event.action, inputHash, connection });
      call = { ...prepared.call, run: { ...place, planApprovals } };
      const admitted = recorded ? await restart(call, recorded) : await admit(call);
      if (!admitted) return completions.gated();
      callId = admitted.callId;
      outcome = await performCall(gateway, { ...prepared, call });
    } catch (error) {
      outcome = refusal(error);
      if (recorded) await startJournalCall(db, call.run!, recorded.id);
    }
    const id = recorded?.id ?? callId;
    return id ? finish(event, id, outcome) : record(event, call, { inputHash, outcome, startedAt });
  };

  const admit = async (call: Call): Promise<{ callId: string | null } | undefined> => {
    const admission = await admitCall(gateway, call);
    return admission.kind === 'admitted' ? admission : undefined;
  };

  /** A call that an earlier pass left unfinished: held at a gate, or under way when its process died. Undefined while it stays held. */
  const restart = async (call: Call, recorded: RecordedCall): Promise<{ callId: string } | undefined> => {
    if (recorded.status === 'gated') return (await admitHeldCall(gateway, call, recorded)) ? { callId: recorded.id } : undefined;
    if (!call.idempotent) {
      await markUnknown(call, recorded);
      throw outcomeUnknown(recorded);
    }
    await startJournalCall(db, call.run!, recorded.id);
    return { callId: recorded.id };
  };

  const markUnknown = (call: Call, { id: callId, approvalId }: RecordedCall) =>
    db.transaction(async (tx) => {
      if (!(await markJournalCallUnknown(tx, fence, callId))) return;
      await recordActivity(tx, {
        ...aboutCall(call),
        type: 'call.outcome_unknown',
        actor: { type: 'system', id: null },
        approvalId,
        callId,
      });
    });

  const finish = (event: SandboxEvent, callId: string, outcome: CallOutcome) =>
    completions.complete(async (completionNumber, now) => {
      await finishJournalCall(db, fence, callId, { outcome, completionNumber, finishedAt: now });
      return toCompletion(event.number, now, outcome);
    });

  const record = (event: SandboxEvent, call: Call, made: { inputHash: string; outcome: CallOutcome; startedAt: Date }) =>
    completions.complete(async (completionNumber, finishedAt) => {
      const status = made.outcome.ok ? 'succeeded' : 'failed';
      await insertJournalCall(db, call, { ...made, status, completionNumber, finishedAt });
      return toCompletion(event.number, finishedAt, made.outcome);
    });

  const setTimer = async ({ number, delayMs }: TimerEvent): Promise<void> => {
    const recorded = recordedTimers.get(number);
    if (recorded && recorded.delayMs !== delayMs) throw diverged(`timer ${number}`);
    if (recorded?.completedAt) return;
    const dueAt = recorded?.dueAt ?? new Date(Date.now() + delayMs);
    if (!recorded) await insertTimer(db, fence, { number, delayMs, dueAt });
    await new Promise<void>((resolve) => {
      timers.add(setTimeout(resolve, Math.max(0, dueAt.getTime() - Date.now())));
    });
    await completions.complete(async (completionNumber, completedAt) => {
      await finishTimer(db, fence, { number, completionNumber, completedAt });
      return toCompletion(number, completedAt, { ok: true, output: null });
    });
  };

  return {
    onEvents,
    nextCompletion: completions.next,
    close: () => {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

function assertSame(recorded: RecordedCall, event: CallEvent, requestHash: string): void {
  if (recorded.requestHash !== requestHash) throw diverged(`call ${event.number + 1} (${event.alias}.${event.action})`);
}

function outcomeUnknown({ integrationAlias, actionName, callNumber }: RecordedCall): RunFailure {
  return new RunFailure(
    'CODE_CALL_OUTCOME_UNKNOWN',
    `A process died while the call ${integrationAlias}.${actionName} (call ${callNumber! + 1} of the run) was under way. Whether it took effect must be looked up; it is not made again.`,
  );
}

function diverged(what: string): RunFailure {
  return new RunFailure('CODE_DIVERGED', `The code did not repeat what it did before the pause: ${what} differs from the record.`);
}

function asInput(value: unknown): Record<string, unknown> {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  throw validationError([{ path: 'input', message: 'must be an object of named inputs' }]);
}

/** What the caller's code sees of a refusal; anything else that is thrown ends the pass. */
function refusal(error: unknown): CallOutcome {
  if (!(error instanceof GatewayError) || error.code === 'UNAVAILABLE') throw error;
  return { ok: false, error: { code: error.code, message: error.message, details: error.details } };
}

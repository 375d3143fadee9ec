import { connectionOf } from '../domain/binding.ts';
import type { Call, CallEntry, CallOutcome } from '../domain/call.ts';
import { GatewayError, validationError } from '../domain/errors.ts';
import { isRecord } from '../domain/loose-values.ts';
import type { SandboxEvent } from '../sandbox/pass.ts';
import { findJournalCall, type Journal, startJournalCall } from '../store/journal.ts';
import { admitCall, admitHeldCall } from './admit-call.ts';
import { openCallJournal } from './call-journal.ts';
import { bareCallOfRun, requestOfRun } from './call-of-run.ts';
import { RunFailure } from './code-run-errors.ts';
import type { Completions } from './completions.ts';
import type { Gateway } from './gateway.ts';
import { hashCall } from './hash-call.ts';
import { onceThere } from './once-there.ts';
import { performCall } from './perform-call.ts';
import { openCoverage } from './plan-coverage.ts';
import { prepareCall } from './prepare-call.ts';
import { answerOf, toCompletion } from './replay.ts';
import type { Pass } from './run-pass.ts';

export type CallEvent = Extract<SandboxEvent, { kind: 'call' }>;

/** A call that the code asks for and that has no outcome yet. */
export interface AskedCall {
  event: CallEvent;
  input: unknown;
  requestHash: string;
  /** What an earlier pass left of it. */
  recorded: CallEntry | undefined;
}

export interface PassCalls {
  /** Takes a call through the gate, makes it, and writes down what became of it; or lets it be held, which ends the pass. */
  make(asked: AskedCall): Promise<void>;
  /** Says of calls that a pass before had begun, and that nobody makes now, that their outcome is unknown. */
  giveUpRest(): Promise<void>;
}

interface Surroundings {
  completions: Completions;
  /** The running time of the run. */
  runningMs: () => number;
}

/** The new calls of a pass, and those that an earlier pass began and did not end. */
export function openPassCalls(gateway: Gateway, pass: Pass, journal: Journal, { completions, runningMs }: Surroundings): PassCalls {
  const { db } = gateway;
  const fence = { codeRunId: pass.run.id, passNumber: pass.passNumber };
  const left = new Map(journal.calls.filter(({ status }) => status === 'executing').map((call) => [call.id, call]));
  const written = openCallJournal(gateway, pass.run, fence, pass.signal);
  const coverage = openCoverage(pass.plan, journal.calls);

  const make = async ({ event, input, requestHash, recorded }: AskedCall): Promise<void> => {
    const startedAt = new Date();
    const tool = pass.surface.find(event.alias, event.action)!;
    const startedMs = Math.round(runningMs());
    const program = { codeHash: pass.run.codeHash, toolSurfaceHash: pass.plan?.toolSurfaceHash ?? null };
    const where = { line: event.line ?? null, column: event.column ?? null };
    const place = { ...fence, ...program, ...where, callNumber: event.number, requestHash, startedMs };
    let call: Call = { ...bareCallOfRun(pass.run, tool, isRecord(input) ? input : {}), run: { ...place, planApprovals: {} } };
    let inputHash = requestHash;
    let callId: string | null = null;
    let outcome: CallOutcome;
    try {
      const prepared = await prepareCall(gateway, requestOfRun(pass.run, tool, asInput(input)));
      inputHash = hashCall(prepared.call);
      const connection = connectionOf(prepared.call);
      const planApprovals =
        recorded && recorded.status !== 'gated' ? {} : coverage.claim({ alias: event.alias, action: event.action, inputHash, connection });
      call = { ...prepared.call, run: { ...place, planApprovals } };
      const admitted = await onceThere(pass.signal, (again) => (again ? admitAgain(call, recorded) : admit(call, recorded)));
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

  const admit = async (call: Call, recorded: CallEntry | undefined): Promise<{ callId: string | null } | undefined> => {
    if (recorded) return restart(call, recorded);
    const admission = await admitCall(gateway, call);
    return admission.kind === 'admitted' ? admission : undefined;
  };

  /** The database went away while a call was admitted: what it has of it is ours, and was not made. */
  const admitAgain = async (call: Call, before: CallEntry | undefined): Promise<{ callId: string | null } | undefined> => {
    const found = await findJournalCall(db, fence.codeRunId, call.run!.callNumber);
    if (found?.status !== 'executing' || before?.status === 'executing') return admit(call, found);
    await startJournalCall(db, call.run!, found.id);
    return { callId: found.id };
  };

  /** A call that an earlier pass left unfinished: held at a gate, or under way when its process died. Undefined while it stays held. */
  const restart = async (call: Call, recorded: CallEntry): Promise<{ callId: string } | undefined> => {
    if (recorded.status === 'gated') return (await admitHeldCall(gateway, call, recorded)) ? { callId: recorded.id } : undefined;
    if (!call.idempotent) throw outcomeUnknown(recorded);
    await startJournalCall(db, call.run!, recorded.id);
    left.delete(recorded.id);
    return { callId: recorded.id };
  };

  const finish = (event: SandboxEvent, callId: string, outcome: CallOutcome) =>
    completions.complete(async (completionNumber, now) => {
      await written.finish(callId, outcome, { completionNumber, finishedAt: now });
      return toCompletion(event.number, now, answerOf(outcome));
    });

  const record = (event: SandboxEvent, call: Call, made: { inputHash: string; outcome: CallOutcome; startedAt: Date }) =>
    completions.complete(async (completionNumber, finishedAt) => {
      await written.record(call, made, { completionNumber, finishedAt });
      return toCompletion(event.number, finishedAt, answerOf(made.outcome));
    });

  return {
    make,
    giveUpRest: async () => {
      for (const call of left.values()) await written.markUnknown(call);
    },
  };
}

function outcomeUnknown({ integrationAlias, actionName, callNumber }: CallEntry): RunFailure {
  return new RunFailure(
    'CODE_CALL_OUTCOME_UNKNOWN',
    `A process died while the call ${integrationAlias}.${actionName} (call ${callNumber! + 1} of the run) was under way. Whether it took effect must be looked up; it is not made again.`,
  );
}

function asInput(value: unknown): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw validationError([{ path: 'input', message: 'must be an object of named inputs, such as { name: value }' }]);
}

/** What the caller's code sees of a refusal; anything else that is thrown ends the pass. */
function refusal(error: unknown): CallOutcome {
  if (!(error instanceof GatewayError) || error.code === 'UNAVAILABLE') throw error;
  return { ok: false, error: { code: error.code, message: error.message, details: error.details } };
}

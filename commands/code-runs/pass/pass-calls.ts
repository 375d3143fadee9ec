import { connectionOf } from '../../../domain/binding.ts';
import type { Call, CallEntry, CallOutcome, PlanApproval } from '../../../domain/call.ts';
import { GatewayError, validationError } from '../../../domain/errors.ts';
import { isRecord } from '../../../domain/unknown-values.ts';
import { retryTogether } from '../../../infra/concurrency/retry-together.ts';
import { whileDatabaseUnavailable } from '../../../infra/database.ts';
import type { SandboxEvent } from '../../../sandbox/host/pass.ts';
import { findJournalCall, type Journal, startJournalCall } from '../../../store/journal.ts';
import { admitCall } from '../../calls/admit-call.ts';
import { hashCall } from '../../calls/hash-call.ts';
import { performCall } from '../../calls/perform-call.ts';
import { prepareCall } from '../../calls/prepare-call.ts';
import type { Gateway } from '../../gateway.ts';
import { RunFailure } from '../code-run-errors.ts';
import { openCoverage, type PlanCoverage } from '../plan/plan-coverage.ts';
import { CallJournal, type MadeCall } from './call-journal.ts';
import { bareCallOfRun, requestOfRun } from './call-of-run.ts';
import type { Completions } from './completions.ts';
import type { BegunPass } from './pass.ts';
import { answerOf, toCompletion } from './replay.ts';

export type CallEvent = Extract<SandboxEvent, { kind: 'call' }>;

interface AskedCall {
  event: CallEvent;
  input: unknown;
  requestHash: string;
  /** Undefined for a new call. */
  recorded: CallEntry | undefined;
}

interface Surroundings {
  completions: Completions;
  runningMs: () => number;
}

/** Makes the calls of a pass that have no recorded outcome. */
export class PassCalls {
  readonly #gateway: Gateway;
  readonly #pass: BegunPass;
  readonly #completions: Completions;
  readonly #runningMs: () => number;
  readonly #journal: CallJournal;
  readonly #coverage: PlanCoverage;
  /** Calls that an earlier pass left in flight, by id. */
  readonly #left: Map<string, CallEntry>;
  /** After an outage, concurrent calls continue in the order in which they failed. */
  readonly #throughOutage: ReturnType<typeof retryTogether>;

  constructor(gateway: Gateway, pass: BegunPass, journal: Journal, { completions, runningMs }: Surroundings) {
    this.#gateway = gateway;
    this.#pass = pass;
    this.#completions = completions;
    this.#runningMs = runningMs;
    this.#journal = new CallJournal(gateway, pass.run, { codeRunId: pass.run.id, passNumber: pass.passNumber }, pass.signal);
    this.#coverage = openCoverage(pass.plan, journal.calls);
    this.#left = new Map(journal.calls.filter(({ status }) => status === 'executing').map((call) => [call.id, call]));
    this.#throughOutage = retryTogether(whileDatabaseUnavailable(pass.signal));
  }

  /** Makes a call and records its outcome. A call that needs approval makes the pass pause. */
  async make(asked: AskedCall): Promise<void> {
    const { event, recorded } = asked;
    const startedAt = new Date();
    let call = this.#bareCall(asked);
    let inputHash = asked.requestHash;
    let callId: string | null = null;
    let outcome: CallOutcome;
    try {
      const prepared = await prepareCall(this.#gateway, requestOfRun(this.#pass.run, this.#toolOf(event), asInput(asked.input)));
      inputHash = hashCall(prepared.call);
      const planApprovals = this.#planApprovals(asked, prepared.call, inputHash);
      call = { ...prepared.call, run: { ...call.run!, planApprovals } };
      const admitted = await this.#throughOutage((attempt) =>
        attempt > 1 ? this.#admitAgain(call, recorded) : this.#admit(call, recorded),
      );
      if (!admitted) return this.#completions.gated();
      callId = admitted.callId;
      outcome = await performCall(this.#gateway, { ...prepared, call });
    } catch (error) {
      outcome = refusal(error);
      if (recorded) await startJournalCall(this.#gateway.db, call.run!, recorded.id);
    }
    const id = recorded?.id ?? callId;
    return id ? this.#finish(event, id, outcome) : this.#record(event, call, { inputHash, outcome, startedAt });
  }

  async abandonRest(): Promise<void> {
    for (const call of this.#left.values()) await this.#journal.markUnknown(call);
  }

  #toolOf({ alias, action }: CallEvent) {
    return this.#pass.surface.find(alias, action)!;
  }

  /** Returns a call in the form in which a refused call is recorded. */
  #bareCall({ event, input, requestHash }: AskedCall): Call {
    const { run, passNumber, plan } = this.#pass;
    return {
      ...bareCallOfRun(run, this.#toolOf(event), isRecord(input) ? input : {}),
      run: {
        ...{ codeRunId: run.id, passNumber, codeHash: run.codeHash, toolSurfaceHash: plan.toolSurfaceHash },
        ...{ line: event.line ?? null, column: event.column ?? null, callNumber: event.number },
        ...{ requestHash, startedMs: Math.round(this.#runningMs()), planApprovals: {} },
      },
    };
  }

  /**
   * Returns the plan's approvals that cover a call. A call that an earlier pass began has already
   * used its approvals.
   */
  #planApprovals({ event: { alias, action }, input, recorded }: AskedCall, call: Call, inputHash: string): Record<string, PlanApproval> {
    if (recorded && recorded.status !== 'gated') return {};
    return this.#coverage.claim({ alias, action, input, inputHash, connection: connectionOf(call) });
  }

  /** Undefined if the call waits for approval. */
  async #admit(call: Call, recorded: CallEntry | undefined): Promise<{ callId: string | null } | undefined> {
    if (recorded && recorded.status !== 'gated') return this.#restart(call, recorded);
    const admission = await admitCall(this.#gateway, call, recorded);
    return admission.kind === 'admitted' ? admission : undefined;
  }

  /**
   * Admits a call again after a database outage. If this pass has already recorded the call as
   * executing, it has not made the call yet.
   */
  async #admitAgain(call: Call, before: CallEntry | undefined): Promise<{ callId: string | null } | undefined> {
    const found = await findJournalCall(this.#gateway.db, this.#pass.run.id, call.run!.callNumber);
    if (found?.status !== 'executing' || before?.status === 'executing') return this.#admit(call, found);
    await startJournalCall(this.#gateway.db, call.run!, found.id);
    return { callId: found.id };
  }

  /**
   * Starts a call again that was in flight when the process of an earlier pass died. Throws
   * RunFailure if the call is not idempotent.
   */
  async #restart(call: Call, recorded: CallEntry): Promise<{ callId: string }> {
    if (!call.idempotent) throw outcomeUnknown(recorded);
    await startJournalCall(this.#gateway.db, call.run!, recorded.id);
    this.#left.delete(recorded.id);
    return { callId: recorded.id };
  }

  #finish({ number }: CallEvent, callId: string, outcome: CallOutcome): Promise<void> {
    return this.#completions.complete(async (completionNumber, finishedAt) => {
      await this.#journal.finish(callId, outcome, { completionNumber, finishedAt });
      return toCompletion(number, finishedAt, answerOf(outcome));
    });
  }

  #record({ number }: CallEvent, call: Call, made: MadeCall): Promise<void> {
    return this.#completions.complete(async (completionNumber, finishedAt) => {
      await this.#journal.record(call, made, { completionNumber, finishedAt });
      return toCompletion(number, finishedAt, answerOf(made.outcome));
    });
  }
}

function outcomeUnknown({ integrationAlias, actionName, callNumber }: CallEntry): RunFailure {
  return new RunFailure(
    'CODE_CALL_OUTCOME_UNKNOWN',
    `A process died while the call ${integrationAlias}.${actionName} (call ${callNumber! + 1} of the run) was under way. Check at the third party whether it took effect; the call is not repeated.`,
  );
}

function asInput(value: unknown): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw validationError([{ path: 'input', message: 'must be an object of named inputs, such as { name: value }' }]);
}

/** Returns a refusal as the outcome of its call. Rethrows other errors, which end the pass. */
function refusal(error: unknown): CallOutcome {
  if (!(error instanceof GatewayError) || error.code === 'UNAVAILABLE') throw error;
  return { ok: false, error: { code: error.code, message: error.message, details: error.details } };
}

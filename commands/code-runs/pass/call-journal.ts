import type { Call, CallEntry, CallOutcome } from '../../../domain/call.ts';
import type { ActiveRun } from '../../../domain/code-run.ts';
import { retry } from '../../../infra/concurrency/retry.ts';
import { isDuplicate, whileDatabaseUnavailable } from '../../../infra/database.ts';
import { type Fence, PassReplacedError } from '../../../store/fence.ts';
import { finishJournalCall, finishLateCall, insertJournalCall, insertLateCall, markJournalCallUnknown } from '../../../store/journal.ts';
import { recordActivity } from '../../audit/record-activity.ts';
import type { Gateway } from '../../gateway.ts';

/** The position of an answer in the order of delivery, and the time of the answer. */
export interface Place {
  completionNumber: number;
  finishedAt: Date;
}

/** A call that was made and is not recorded yet. */
export interface MadeCall {
  inputHash: string;
  outcome: CallOutcome;
  startedAt: Date;
}

/**
 * Records the outcomes of a pass's calls, and retries while the database is unavailable. Throws
 * PassReplacedError if the run has ended or another pass has begun.
 */
export class CallJournal {
  readonly #db: Gateway['db'];
  readonly #run: ActiveRun;
  readonly #fence: Fence;
  readonly #signal: AbortSignal;

  constructor({ db }: Gateway, run: ActiveRun, fence: Fence, signal: AbortSignal) {
    this.#db = db;
    this.#run = run;
    this.#fence = fence;
    this.#signal = signal;
  }

  /** Records the outcome of a call that was recorded when it began. */
  finish(callId: string, outcome: CallOutcome, place: Place): Promise<void> {
    return retry(whileDatabaseUnavailable(this.#signal), () =>
      finishJournalCall(this.#db, this.#fence, callId, { outcome, ...place }).catch(
        whereReplaced(() => finishLateCall(this.#db, callId, { outcome, finishedAt: place.finishedAt })),
      ),
    );
  }

  /** Records a whole call after it ran. Only for a call that may be repeated. */
  record(call: Call, made: MadeCall, place: Place): Promise<void> {
    const record = { ...made, ...place, status: made.outcome.ok ? 'succeeded' : 'failed' } as const;
    return retry(whileDatabaseUnavailable(this.#signal), async (attempt) => {
      await insertJournalCall(this.#db, call, record).catch((error) => {
        // If a retry finds a duplicate, an earlier attempt wrote the call, and only the response of
        // the database was lost.
        if (attempt > 1 && isDuplicate(error)) return;
        return whereReplaced(() => insertLateCall(this.#db, call, { ...record, completionNumber: undefined }))(error);
      });
    });
  }

  /** Marks the outcome of a call of an earlier pass as unknown. */
  async markUnknown({ id: callId, approvalId, integrationName, actionName }: CallEntry): Promise<void> {
    const { orgId, workspaceId, id: codeRunId } = this.#run;
    await this.#db.transaction(async (tx) => {
      if (!(await markJournalCallUnknown(tx, this.#fence, callId))) return;
      await recordActivity(tx, {
        ...{ orgId, workspaceId, codeRunId, integrationName, actionName, approvalId, callId },
        type: 'call.outcome_unknown',
        actor: { type: 'system', id: null },
      });
    });
  }
}

function whereReplaced(write: () => Promise<unknown>) {
  return async (error: unknown): Promise<never> => {
    if (error instanceof PassReplacedError) await write();
    throw error;
  };
}

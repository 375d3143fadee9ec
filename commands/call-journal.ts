import type { Call, CallEntry, CallOutcome } from '../domain/call.ts';
import type { CodeRun } from '../domain/code-run.ts';
import { isDuplicate } from '../infra/database.ts';
import { type Fence, PassReplacedError } from '../store/fence.ts';
import { finishJournalCall, finishLateCall, insertJournalCall, insertLateCall, markJournalCallUnknown } from '../store/journal.ts';
import type { Gateway } from './gateway.ts';
import { onceThere } from './once-there.ts';
import { recordActivity } from './record-activity.ts';

/** Where a completion is delivered, and when. */
export interface Place {
  completionNumber: number;
  finishedAt: Date;
}

/**
 * Writes down what became of the calls of a pass, however long the database is away while the pass lives. Of a run that was ended meanwhile it writes what a
 * call turned out to be, for people to read, and throws PassReplacedError all the same.
 */
export function openCallJournal({ db }: Gateway, run: CodeRun, fence: Fence, signal: AbortSignal) {
  return {
    /** The end of a call that was written down when it began. */
    finish: (callId: string, outcome: CallOutcome, place: Place) =>
      onceThere(signal, () =>
        finishJournalCall(db, fence, callId, { outcome, ...place }).catch(
          whereReplaced(() => finishLateCall(db, callId, { outcome, finishedAt: place.finishedAt })),
        ),
      ),

    /** The whole of a call that may be made again, after it ran. */
    record: (call: Call, made: { inputHash: string; outcome: CallOutcome; startedAt: Date }, place: Place) => {
      const record = { ...made, ...place, status: made.outcome.ok ? 'succeeded' : 'failed' } as const;
      return onceThere(signal, async (again) => {
        await insertJournalCall(db, call, record).catch((error) => {
          if (again && isDuplicate(error)) return; // it was written, and the answer lost
          return whereReplaced(() => insertLateCall(db, call, { ...record, completionNumber: undefined }))(error);
        });
      });
    },

    /** A call that an earlier pass had begun and of which nobody knows what became. */
    markUnknown: ({ id: callId, approvalId, integrationName, actionName }: CallEntry) =>
      db.transaction(async (tx) => {
        if (!(await markJournalCallUnknown(tx, fence, callId))) return;
        await recordActivity(tx, {
          ...{ orgId: run.orgId, workspaceId: run.workspaceId, codeRunId: run.id, integrationName, actionName, approvalId, callId },
          type: 'call.outcome_unknown',
          actor: { type: 'system', id: null },
        });
      }),
  };
}

function whereReplaced(write: () => Promise<unknown>) {
  return async (error: unknown): Promise<never> => {
    if (error instanceof PassReplacedError) await write();
    throw error;
  };
}

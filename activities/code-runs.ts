import { ApplicationFailure, Context } from '@temporalio/activity';
import { z } from 'zod';
import { spendCodes } from '../commands/approvals/spend-codes.ts';
import { cancelCodeRun } from '../commands/code-runs/cancel-code-run.ts';
import type { PassCanceler } from '../commands/code-runs/pass/cancel-passes.ts';
import { PassNotScheduledError, schedulePass } from '../commands/code-runs/pass/schedule-pass.ts';
import type { EagerPasses } from '../commands/code-runs/pass/start-pass-eagerly.ts';
import { settleRun } from '../commands/code-runs/settle-run.ts';
import type { Gateway } from '../commands/gateway.ts';
import { UNVERIFIED_OPERATOR } from '../domain/approval.ts';
import type { DueWork, RunState } from '../domain/code-run.ts';
import { DECISION_REASON_MAX_LENGTH, OPERATOR_CODE } from '../domain/limits.ts';
import { CODES_OF_NOTE } from '../domain/read-operator-note.ts';
import type { Sandbox } from '../sandbox/host/open-sandbox.ts';
import { PassReplacedError } from '../store/fence.ts';
import type { RunCancellation } from '../workflows/contract.ts';
import { readActivityInput } from './read-activity-input.ts';

const HEARTBEAT_MS = 2000;

/**
 * Maximum time in ms that a run waits in the queue of this worker. This time plus the longest pass
 * (one execution of the code) is shorter than the timeout of the activity.
 */
const PATIENCE_MS = 30_000;

/** The failure that returns a run to the task queue, where any worker can take the run. */
const OFFERED_AGAIN = { type: 'TurnAwaited', message: 'waits for its turn', nextRetryDelay: 100 } as const;

export interface CodeRunParts {
  sandbox: Sandbox;
  passCanceler: PassCanceler;
  ahead: EagerPasses;
}

/** Activities on code runs. */
export function createCodeRunActivities(gateway: Gateway, { sandbox, passCanceler, ahead }: CodeRunParts) {
  return {
    /**
     * Advances a run as far as possible without running its code. Returns the new state, or the
     * work for `scheduleCodeRun`.
     */
    async settleCodeRun({ codeRunId }: { codeRunId: string }): Promise<RunState | DueWork> {
      return settleRun(gateway, codeRunId);
    },

    /**
     * Queues a run, then runs its code until the run waits or ends. Temporal can repeat this
     * activity safely, because the journal of calls prevents repeated effects.
     */
    async scheduleCodeRun(request: { codeRunId: string; orgId: string; resume: boolean; cancel: boolean }): Promise<RunState> {
      const context = Context.current();
      const beat = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
      try {
        const { orgId, ...move } = request;
        if (!move.cancel) await ahead.ended(move.codeRunId);
        const askedAt = context.info.scheduledTimestampMs;
        const advance = (signal: AbortSignal) =>
          schedulePass(gateway, sandbox, { ...move, orgId, askedAt, patienceMs: PATIENCE_MS, signal });
        return await passCanceler.during(move.codeRunId, context.cancellationSignal, (signal) =>
          // If the run was canceled in the meantime, a second `advance` returns its final state.
          advance(signal).catch((error) =>
            error instanceof PassReplacedError ? advance(context.cancellationSignal) : Promise.reject(error),
          ),
        );
      } catch (error) {
        throw error instanceof PassNotScheduledError ? ApplicationFailure.create(OFFERED_AGAIN) : error;
      } finally {
        clearInterval(beat);
      }
    },
  };
}

const cancelInput = z.object({
  codeRunId: z.string(),
  nth: z.int().min(0).nullable().default(null),
  reason: z.string().max(DECISION_REASON_MAX_LENGTH).optional(),
  codes: z.array(z.string().max(OPERATOR_CODE.maxLength)).max(CODES_OF_NOTE).optional(),
});

/** The activity that cancels a code run. It has another task queue, so that no pass delays it. */
export function createRunCancelActivities(gateway: Gateway) {
  return {
    /**
     * Cancels a run after somebody has asked Temporal to cancel it. Temporal does not authenticate
     * the sender.
     */
    async cancelCodeRun(request: RunCancellation): Promise<void> {
      const { codeRunId, nth, reason, codes } = readActivityInput(cancelInput, request);
      await spendCodes(gateway, codes ?? []);
      const sender = await gateway.orchestrator.findRunCanceler(codeRunId, nth).catch((error) => {
        gateway.logger.warn({ codeRunId, error: String(error) }, 'sender of a run cancellation not found');
        return null;
      });
      await cancelCodeRun(gateway, { codeRunId, by: UNVERIFIED_OPERATOR, reason, sender });
    },
  };
}

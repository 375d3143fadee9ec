import { ApplicationFailure, Context } from '@temporalio/activity';
import type { AdvancesAhead } from '../commands/advance-ahead.ts';
import { advanceInTurn, TurnAwaitedError } from '../commands/advance-in-turn.ts';
import { cancelCodeRun } from '../commands/cancel-code-run.ts';
import type { Gateway } from '../commands/gateway.ts';
import type { PassStops } from '../commands/stop-passes.ts';
import type { Sandbox } from '../sandbox/open-sandbox.ts';
import { PassReplacedError } from '../store/fence.ts';
import type { CodeRunState, RunCancellation } from '../workflows/contract.ts';

const HEARTBEAT_MS = 2000;

/** So long a run waits here for its turn: together with the longest pass, less than an activity may take. */
const PATIENCE_MS = 30_000;

/** A run whose turn has not come goes back to the queue: any worker may take it. */
const OFFERED_AGAIN = { type: 'TurnAwaited', message: 'waits for its turn', nextRetryDelay: 100 } as const;

export interface CodeRunParts {
  sandbox: Sandbox;
  passStops: PassStops;
  ahead: AdvancesAhead;
}

/** Effects on code runs. */
export function createCodeRunActivities(gateway: Gateway, { sandbox, passStops, ahead }: CodeRunParts) {
  return {
    /** Moves a run as far as it can go when it is its turn: to a gate, or to its end. Safe to repeat: what was done is in the journal. */
    async advanceCodeRun(request: {
      codeRunId: string;
      orgId?: string | undefined;
      resume: boolean;
      cancel: boolean;
    }): Promise<CodeRunState> {
      const context = Context.current();
      const beat = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
      try {
        const { orgId, ...move } = request;
        if (!move.cancel) await ahead.ended(move.codeRunId);
        const askedAt = context.info.scheduledTimestampMs;
        const advance = (signal: AbortSignal) =>
          advanceInTurn(gateway, sandbox, { ...move, orgId, askedAt, patienceMs: PATIENCE_MS, signal });
        return await passStops.during(move.codeRunId, context.cancellationSignal, (signal) =>
          // Canceled while it waited for its turn: then it has an ending to tell of.
          advance(signal).catch((error) =>
            error instanceof PassReplacedError ? advance(context.cancellationSignal) : Promise.reject(error),
          ),
        );
      } catch (error) {
        throw error instanceof TurnAwaitedError ? ApplicationFailure.create(OFFERED_AGAIN) : error;
      } finally {
        clearInterval(beat);
      }
    },
  };
}

/** Effects on code runs that wait behind no pass. */
export function createRunCancelActivities(gateway: Gateway) {
  return {
    /** Cancels a run because somebody said so in Temporal, and says who. Has no effect on one that has ended. */
    async cancelCodeRun({ codeRunId, nth, reason, by }: RunCancellation): Promise<void> {
      const sender = await gateway.orchestrator.findRunCanceler(codeRunId, nth).catch((error) => {
        gateway.logger.warn({ codeRunId, error: String(error) }, 'who canceled a run was not found');
        return null;
      });
      await cancelCodeRun(gateway, { codeRunId, by: { type: 'operator', id: by ?? sender }, reason, sender });
    },
  };
}

import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import type { AdvancesAhead } from '../commands/advance-ahead.ts';
import type { Gateway } from '../commands/gateway.ts';
import type { DeliverySender } from '../commands/open-delivery-sender.ts';
import type { PassStops } from '../commands/stop-passes.ts';
import type { Sandbox } from '../sandbox/open-sandbox.ts';
import { createApprovalActivities } from './approvals.ts';
import { createCodeRunActivities, createRunCancelActivities } from './code-runs.ts';
import { createWebhookActivities } from './webhooks.ts';

/** What activities share with the rest of the worker. */
export interface WorkerParts {
  sender: DeliverySender;
  sandbox: Sandbox;
  passStops: PassStops;
  ahead: AdvancesAhead;
}

/** Every activity. On which queue one waits, and behind what, is for its workflow to say. */
export function createActivities(gateway: Gateway, { sender, ...parts }: WorkerParts) {
  return quiet(gateway, {
    ...createCodeRunActivities(gateway, parts),
    ...createApprovalActivities(gateway),
    ...createRunCancelActivities(gateway),
    ...createWebhookActivities(sender),
  });
}

/** Histories hold ids and statuses alone: what an activity throws is logged here, and the history learns the kind of error. */
function quiet<Activities extends object>(gateway: Gateway, activities: Activities): Activities {
  const wrapped = Object.entries(activities).map(([name, run]) => [
    name,
    async (request: unknown) => {
      try {
        return await run(request);
      } catch (error) {
        if (error instanceof ApplicationFailure || error instanceof CancelledFailure) throw error;
        gateway.logger.warn({ activity: name, err: error }, 'an activity failed and is tried again');
        throw ApplicationFailure.retryable(`${name} failed; the log of the worker says why`, (error as Error).name);
      }
    },
  ]);
  return Object.fromEntries(wrapped);
}

import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import type { PassCanceler } from '../commands/code-runs/pass/cancel-passes.ts';
import type { EagerPasses } from '../commands/code-runs/pass/start-pass-eagerly.ts';
import type { Gateway } from '../commands/gateway.ts';
import type { DeliverySender } from '../commands/webhooks/delivery-sender.ts';
import type { Sandbox } from '../sandbox/host/open-sandbox.ts';
import { createApprovalActivities } from './approvals.ts';
import { createCodeRunActivities, createRunCancelActivities } from './code-runs.ts';
import { createWebhookActivities } from './webhooks.ts';

/** The parts that activities share with the rest of the worker. */
export interface WorkerParts {
  sender: DeliverySender;
  sandbox: Sandbox;
  passCanceler: PassCanceler;
  ahead: EagerPasses;
}

/** Returns all activities. */
export function createActivities(gateway: Gateway, { sender, ...parts }: WorkerParts) {
  return quiet(gateway, {
    ...createCodeRunActivities(gateway, parts),
    ...createApprovalActivities(gateway),
    ...createRunCancelActivities(gateway),
    ...createWebhookActivities(sender),
  });
}

/**
 * Gives Temporal only the name of an unexpected error. The history of a workflow must hold no data
 * of calls, and an error message can contain such data.
 */
function quiet<Activities extends object>(gateway: Gateway, activities: Activities): Activities {
  const wrapped = Object.entries(activities).map(([name, run]) => [
    name,
    async (request: unknown) => {
      try {
        return await run(request);
      } catch (error) {
        if (error instanceof ApplicationFailure || error instanceof CancelledFailure) throw error;
        gateway.logger.warn({ activity: name, err: error }, 'activity failed, retrying');
        throw ApplicationFailure.retryable(`${name} failed; the log of the worker says why`, (error as Error).name);
      }
    },
  ]);
  return Object.fromEntries(wrapped);
}

import type { NewActivity } from '../../domain/activity.ts';
import type { ClaimedDelivery } from '../../store/webhook-claims.ts';
import { markWebhookEndpointGone } from '../../store/webhook-endpoints.ts';
import { recordOutcomes } from '../../store/webhook-outcomes.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import type { Attempt } from './attempt-delivery.ts';

export interface MadeAttempt extends Attempt {
  delivery: ClaimedDelivery;
}

/**
 * Records the outcomes of attempts in one transaction. Returns the ids of the deliveries whose
 * claim was still valid, each with whether a later event waits for the delivery.
 */
export async function recordAttempts(gateway: Pick<Gateway, 'db'>, made: readonly MadeAttempt[]): Promise<Map<string, boolean>> {
  return gateway.db.transaction(async (tx) => {
    const recorded = await recordOutcomes(
      tx,
      made.map(({ outcome }) => outcome),
    );
    const isAwaited = new Map(recorded.map((row) => [row.id, row.isAwaited]));
    const ours = made.filter(({ delivery }) => isAwaited.has(delivery.id));
    for (const { delivery, isGone } of ours) if (isGone) await markWebhookEndpointGone(tx, delivery.endpointId);
    await recordActivity(tx, ...ours.filter(({ outcome }) => outcome.isSent || outcome.status === 'failed').map(activityOf));
    return isAwaited;
  });
}

const TYPE = {
  success: 'webhook.delivered',
  retrying: 'webhook.attempt_failed',
  pending: 'webhook.attempt_failed',
  failed: 'webhook.given_up',
} as const;

function activityOf({ delivery, outcome }: MadeAttempt): NewActivity {
  const { orgId, workspaceId, approvalId, policyId, policyVersion, codeRunId, integrationName, actionName, eventType } = delivery;
  const { attempt, httpStatus, errorMessage } = outcome;
  return {
    ...{ orgId, workspaceId, approvalId, policyId, policyVersion, codeRunId, integrationName, actionName },
    type: TYPE[outcome.status],
    actor: { type: 'system', id: null },
    deliveryId: delivery.id,
    details: { event: eventType, attempt, httpStatus, ...(errorMessage && { errorMessage }) },
  };
}

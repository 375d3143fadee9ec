import { aboutApproval } from '../../domain/activity.ts';
import type { Approval, ApprovalEvent, Receipt } from '../../domain/approval.ts';
import { webhookPayload } from '../../domain/webhook-payload.ts';
import type { Db } from '../../infra/database.ts';
import { insertWebhookDeliveries } from '../../store/webhook-deliveries.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';

const REMEDY = 'When the destination works again, save the approvers of the policy again, or ask for a redelivery.';

/** Error text of the attempt that the destination answers with HTTP status 410. */
export const GONE_NOW_MESSAGE = `Nothing more is sent to this destination. ${REMEDY}`;

/** Error text of later deliveries to a destination that answered with HTTP status 410. */
export const GONE_MESSAGE = `The destination answered 410 before, so nothing is sent to it. ${REMEDY}`;

/**
 * Inserts a delivery of an event for each webhook of the approval's policy. The rows are the queue,
 * so a crash loses no delivery.
 */
export async function announceApproval(
  gateway: Gateway,
  tx: Db,
  event: ApprovalEvent,
  approval: Approval,
  receipt: Receipt | null = null,
): Promise<void> {
  if (approval.policyId === null) return;
  const { id: approvalId, policyId } = approval;
  const payload = webhookPayload(event, approval, receipt, gateway.config.baseUrl);
  const gone = await insertWebhookDeliveries(tx, { policyId, approvalId, eventType: event, payload, goneMessage: GONE_MESSAGE });
  const givenUp = { ...aboutApproval(approval), type: 'webhook.given_up', actor: { type: 'system', id: null } } as const;
  const details = { event, attempt: 0, httpStatus: null, errorMessage: GONE_MESSAGE };
  await recordActivity(tx, ...gone.map((deliveryId) => ({ ...givenUp, deliveryId, details })));
}

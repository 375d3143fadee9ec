import type { Approval, ApprovalEvent, Receipt } from '../domain/approval.ts';
import { webhookPayload } from '../domain/webhook-payload.ts';
import type { Db } from '../infra/database.ts';
import { insertWebhookDelivery } from '../store/webhook-deliveries.ts';
import { listWebhookEndpoints } from '../store/webhook-endpoints.ts';
import type { Gateway } from './gateway.ts';

/** Writes, in the caller's transaction, one delivery of an event for each webhook of the approval's policy; the workflow sends them. */
export async function announceApproval(
  gateway: Gateway,
  tx: Db,
  event: ApprovalEvent,
  approval: Approval,
  receipt: Receipt | null = null,
): Promise<void> {
  if (approval.policyId === null) return;
  const endpoints = await listWebhookEndpoints(tx, approval.policyId);
  if (endpoints.length === 0) return;
  const payload = webhookPayload(event, approval, receipt, gateway.config.baseUrl);
  for (const endpoint of endpoints) {
    await insertWebhookDelivery(tx, { orgId: approval.orgId, approvalId: approval.id, endpointId: endpoint.id, eventType: event, payload });
  }
}

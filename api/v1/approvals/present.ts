import { decodeJwt } from 'jose';
import type { ApprovalLinks } from '../../../commands/approvals/approval-links.ts';
import type { Approval, Receipt } from '../../../domain/approval.ts';
import type { WebhookDelivery } from '../../../domain/webhook-delivery.ts';

/**
 * Presents an approval. For readers who may not decide, `links` must come from `readerLinks`
 * (contract decisions 3).
 */
export function presentApproval(approval: Approval, links: ApprovalLinks) {
  return {
    id: approval.id,
    orgId: approval.orgId,
    workspaceId: approval.workspaceId,
    policyId: approval.policyId,
    policyVersion: approval.policyVersion,
    mcpServerId: approval.mcpServerId,
    workspaceIntegrationId: approval.workspaceIntegrationId,
    connectionStrategy: approval.connectionStrategy,
    endUserId: approval.endUserId,
    source: approval.source,
    status: approval.status,
    integrationName: approval.integrationName,
    integrationAlias: approval.integrationAlias,
    actionName: approval.actionName,
    inputHash: approval.inputHash,
    inputPreview: approval.inputPreview,
    redactedPaths: approval.redactedPaths,
    riskReasons: approval.riskReasons,
    riskScore: approval.riskScore,
    riskCategory: approval.riskCategory,
    approvalAccessMode: approval.approvalAccessMode,
    approvalUrl: links.approvalUrl,
    hostedApprovalUrl: links.hostedApprovalUrl,
    idempotencyKey: approval.idempotencyKey,
    defaultOnTimeout: approval.defaultOnTimeout,
    requestedByType: approval.requestedByType,
    requestedById: approval.requestedById,
    decidedByType: approval.decidedByType,
    decidedById: approval.decidedById,
    decisionReason: approval.decisionReason,
    decisionMetadata: approval.decisionMetadata,
    decidedAt: approval.decidedAt?.toISOString() ?? null,
    consumedAt: approval.consumedAt?.toISOString() ?? null,
    expiresAt: approval.expiresAt.toISOString(),
    createdAt: approval.createdAt.toISOString(),
    updatedAt: approval.updatedAt.toISOString(),
  };
}

export function presentReceipt(receipt: Receipt) {
  return { id: receipt.id, expiresAt: receipt.expiresAt.toISOString() };
}

/** Presents a signed receipt with its decoded claims. */
export function presentSignedReceipt(receipt: Receipt & { jws: string }) {
  return {
    id: receipt.id,
    approvalId: receipt.approvalId,
    expiresAt: receipt.expiresAt.toISOString(),
    createdAt: receipt.createdAt.toISOString(),
    jws: receipt.jws,
    claims: decodeJwt(receipt.jws),
  };
}

export function presentWebhookDelivery(delivery: WebhookDelivery & { callbackUrl: string }) {
  return {
    id: delivery.id,
    eventType: delivery.eventType,
    callbackUrl: delivery.callbackUrl,
    attempt: delivery.attempt,
    status: delivery.status,
    httpStatus: delivery.httpStatus,
    errorMessage: delivery.errorMessage,
    createdAt: delivery.createdAt.toISOString(),
    deliveredAt: delivery.deliveredAt?.toISOString() ?? null,
  };
}

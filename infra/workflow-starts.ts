import { TypedSearchAttributes } from '@temporalio/common';
import type { CodeRunStart, DeliveryStart } from '../commands/orchestrator.ts';
import type { Approval } from '../domain/approval.ts';
import {
  type ApprovalStart,
  approvalWorkflowId,
  type CodeRunInput,
  codeRunWorkflowId,
  SEARCH_ATTRIBUTES,
  type WebhookRetry,
  webhookDeliveryWorkflowId,
} from '../workflows/contract.ts';

/**
 * Returns the start options of an approval workflow. Histories contain no inputs, outputs, code or
 * credentials (docs/architecture.md, rule 1).
 */
export function approvalStart(approval: Approval, taskQueue: string) {
  return {
    taskQueue,
    workflowId: approvalWorkflowId(approval.id),
    workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    args: [{ approvalId: approval.id, expiresAt: approval.expiresAt.getTime() }] as [ApprovalStart],
    typedSearchAttributes: approvalAttributes(approval),
    staticSummary: `${approval.integrationAlias ?? approval.integrationName} · ${approval.actionName} (${approval.source})`,
    staticDetails: approvalDetails(approval),
  };
}

/** Returns the start options of a code run workflow. */
export function codeRunStart(run: CodeRunStart, taskQueue: string) {
  return {
    taskQueue,
    workflowId: codeRunWorkflowId(run.codeRunId),
    args: [{ codeRunId: run.codeRunId, orgId: run.orgId, ...(run.endedAs && { endedAs: run.endedAs }) }] as [CodeRunInput],
    ...(run.endedAs ? { workflowIdReusePolicy: 'REJECT_DUPLICATE' as const } : { workflowIdConflictPolicy: 'USE_EXISTING' as const }),
    typedSearchAttributes: new TypedSearchAttributes([
      { key: SEARCH_ATTRIBUTES.org, value: run.orgId },
      { key: SEARCH_ATTRIBUTES.workspace, value: run.workspaceId },
      { key: SEARCH_ATTRIBUTES.source, value: 'mcp_code' },
    ]),
    staticSummary: `Code run on ${run.serverName}`,
    staticDetails:
      'The signal `cancel` stops the run. It can carry a reason, as text or as `{ "reason": "…" }`. "Request cancellation" also stops the run.',
  };
}

/**
 * Returns the start options of the workflow that retries a delivery. The first retry follows after
 * `delaySeconds`.
 */
export function deliveryStart({ deliveryId, orgId, approvalId, eventType, delaySeconds }: DeliveryStart, taskQueue: string) {
  return {
    taskQueue,
    workflowId: webhookDeliveryWorkflowId(deliveryId),
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    startDelay: Math.ceil(delaySeconds * 1000),
    args: [{ deliveryId }] as [WebhookRetry],
    typedSearchAttributes: new TypedSearchAttributes([
      { key: SEARCH_ATTRIBUTES.approvals, value: [approvalId] },
      { key: SEARCH_ATTRIBUTES.org, value: orgId },
    ]),
    staticSummary: `${eventType} to a webhook`,
  };
}

function approvalAttributes(approval: Approval): TypedSearchAttributes {
  return new TypedSearchAttributes([
    { key: SEARCH_ATTRIBUTES.approvals, value: [approval.id] },
    { key: SEARCH_ATTRIBUTES.org, value: approval.orgId },
    { key: SEARCH_ATTRIBUTES.workspace, value: approval.workspaceId },
    { key: SEARCH_ATTRIBUTES.status, value: approval.status },
    { key: SEARCH_ATTRIBUTES.source, value: approval.source },
    { key: SEARCH_ATTRIBUTES.integration, value: approval.integrationName },
    { key: SEARCH_ATTRIBUTES.action, value: approval.actionName },
  ]);
}

function approvalDetails(approval: Approval): string {
  const lines = [
    `- approval: ${approval.id}`,
    `- asked by the policy: ${approval.policyName ?? 'none'}`,
    `- expires: ${approval.expiresAt.toISOString()}, then: ${approval.defaultOnTimeout}`,
  ];
  if (approval.codeRunId) lines.push(`- code run: ${codeRunWorkflowId(approval.codeRunId)}`);
  return lines.join('\n');
}

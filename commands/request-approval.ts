import type { Approval } from '../domain/approval.ts';
import type { Call } from '../domain/call.ts';
import type { PolicyMatch } from '../domain/match-policies.ts';
import { previewInput } from '../domain/preview-input.ts';
import type { Db } from '../infra/database.ts';
import { randomId } from '../infra/tokens.ts';
import { insertApproval, type NewApproval } from '../store/approvals.ts';
import { insertOutbox } from '../store/outbox.ts';
import { announceApproval } from './announce-approval.ts';
import type { Gateway } from './gateway.ts';

/** Creates a pending approval, with its deliveries and outbox row, in the caller's transaction. Tell the orchestrator after commit. */
export async function requestApproval(gateway: Gateway, tx: Db, approval: NewApproval): Promise<Approval> {
  const created = await insertApproval(tx, approval);
  await announceApproval(gateway, tx, 'approval.requested', created);
  await insertOutbox(tx, { kind: 'approval-requested', subjectId: created.id });
  return created;
}

/** The approval that a call needs under the policy that matched it. */
export function approvalOfCall(call: Call, match: PolicyMatch, inputHash: string): NewApproval {
  const { preview, redactedPaths } = previewInput(call.input, call.hiddenPaths);
  return {
    ...approvalFrame(match),
    orgId: call.orgId,
    workspaceId: call.workspaceId,
    mcpServerId: call.mcpServerId,
    workspaceIntegrationId: call.workspaceIntegrationId,
    connectionId: call.connectionId,
    connectionStrategy: call.connectionStrategy,
    endUserId: call.endUserId,
    source: call.source,
    integrationName: call.integrationName,
    integrationAlias: call.integrationAlias,
    actionName: call.actionName,
    inputHash,
    inputPreview: preview,
    redactedPaths,
    riskReasons: match.reasons,
    idempotencyKey: call.idempotencyKey ?? randomId('idem_'),
    codeRunId: call.run?.codeRunId ?? null,
    callNumber: call.run?.callNumber ?? null,
    requestedByType: call.requestedBy.type,
    requestedById: call.requestedBy.id,
  };
}

/** What an approval takes from its policy, as it was at that version. */
export function approvalFrame({ policy }: PolicyMatch) {
  return {
    id: randomId('apr_'),
    status: 'pending' as const,
    policyId: policy.id,
    policyVersion: policy.version,
    policyName: policy.name,
    approvalAccessMode: policy.approvalAccessMode,
    timeoutSeconds: policy.timeoutSeconds,
    defaultOnTimeout: policy.defaultOnTimeout,
  };
}

import { aboutApproval, type NewActivity } from '../domain/activity.ts';
import type { Approval } from '../domain/approval.ts';
import { recordApprovers } from '../domain/approver-rules.ts';
import type { Call } from '../domain/call.ts';
import { GatewayError } from '../domain/errors.ts';
import { evaluateRules } from '../domain/evaluate-rules.ts';
import type { PolicyMatch } from '../domain/match-policies.ts';
import { previewInput } from '../domain/preview-input.ts';
import { riskCategory } from '../domain/risk.ts';
import type { Db } from '../infra/database.ts';
import { randomId } from '../infra/tokens.ts';
import { insertApproval, type NewApproval } from '../store/approvals.ts';
import { holdConcern } from '../store/concerns.ts';
import { insertOutbox } from '../store/outbox.ts';
import { announceApproval } from './announce-approval.ts';
import type { Gateway } from './gateway.ts';
import { recordActivity } from './record-activity.ts';

/**
 * Creates a pending approval, with its deliveries and outbox row, in the caller's transaction. Tell the orchestrator after commit. Throws
 * NOT_FOUND where something that it rests on was deleted meanwhile: nobody is asked then, since nobody would cancel it.
 */
export async function requestApproval(gateway: Gateway, tx: Db, approval: NewApproval): Promise<Approval> {
  const { orgId, workspaceId, mcpServerId, concernedIntegrationIds, concernedConnectionIds } = approval;
  const rests = { workspaceId: [workspaceId], mcpServerId: [mcpServerId], workspaceIntegrationId: concernedIntegrationIds };
  if (!(await holdConcern(tx, { orgId, ...rests, connectionId: concernedConnectionIds })))
    throw new GatewayError('NOT_FOUND', 'Something that this call refers to is gone.');
  const created = await insertApproval(tx, approval);
  await announceApproval(gateway, tx, 'approval.requested', created);
  await insertOutbox(tx, { kind: 'approval-requested', subjectId: created.id });
  await recordActivity(tx, requested(created));
  return created;
}

function requested(approval: Approval): NewActivity {
  const { requestedByType, requestedById, policyName, riskReasons, source, inputHash, endUserId, expiresAt } = approval;
  const actor = { type: requestedByType, id: requestedById };
  const details = { policyName, reasons: riskReasons, source, inputHash, endUserId, expiresAt: expiresAt.toISOString() };
  return { ...aboutApproval(approval), type: 'approval.requested', actor, details };
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
    concernedConnectionIds: call.connectionId === null ? [] : [call.connectionId],
    concernedIntegrationIds: call.workspaceIntegrationId === null ? [] : [call.workspaceIntegrationId],
    connectionId: call.connectionId,
    connectionVersion: call.connectionVersion,
    codeHash: call.run?.codeHash ?? null,
    toolSurfaceHash: call.run?.toolSurfaceHash ?? null,
    plannedTools: null,
    requestHash: call.requestHash ?? null,
    connectionStrategy: call.connectionStrategy,
    endUserId: call.endUserId,
    source: call.source,
    integrationName: call.integrationName,
    integrationAlias: call.integrationAlias,
    actionName: call.actionName,
    inputHash,
    inputPreview: preview,
    redactedPaths,
    riskReasons: shownReasons(match, call),
    idempotencyKey: call.idempotencyKey ?? randomId('idem_'),
    codeRunId: call.run?.codeRunId ?? null,
    callNumber: call.run?.callNumber ?? null,
    requestedByType: call.requestedBy.type,
    requestedById: call.requestedBy.id,
  };
}

/** What an approval takes from its policy, as it was at that version. */
export function approvalFrame({ policy, risk }: PolicyMatch) {
  return {
    id: randomId('apr_'),
    status: 'pending' as const,
    policyId: policy.id,
    policyVersion: policy.version,
    policyName: policy.name,
    approvers: recordApprovers(policy.approvers),
    riskScore: risk?.score ?? null,
    riskCategory: risk && riskCategory(risk.score),
    approvalAccessMode: policy.approvalAccessMode,
    timeoutSeconds: policy.timeoutSeconds,
    defaultOnTimeout: policy.defaultOnTimeout,
  };
}

/** Why a policy matched, for reviewers: of a rule that fired because of a value which is hidden from them, its name alone. */
export function shownReasons({ policy, reasons }: PolicyMatch, call: Call): string[] {
  if (call.hiddenPaths.length === 0) return reasons;
  const hidden = new Set(call.hiddenPaths);
  const input = Object.fromEntries(Object.entries(call.input).filter(([key]) => !hidden.has(key)));
  const texts = JSON.stringify(input);
  const visible = (values: string[] | undefined) => values?.filter((value) => texts.includes(value));
  const shown = new Set(evaluateRules(policy.rules, { ...call, input, recipients: visible(call.recipients), paths: visible(call.paths) }));
  return reasons.map((reason) => {
    const rule = Object.keys(policy.rules).find((name) => reason.startsWith(`${name}: `));
    return rule === undefined || shown.has(reason) ? reason : `${rule}: because of a value that is not shown`;
  });
}

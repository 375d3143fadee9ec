import { aboutApproval, type NewActivity } from '../../domain/activity.ts';
import type { Approval } from '../../domain/approval.ts';
import type { Call } from '../../domain/call.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { GatedCall } from '../../domain/judged-call.ts';
import { recordApprovers } from '../../domain/policies/approver-rules.ts';
import { evaluateRules } from '../../domain/policies/evaluate-rules.ts';
import type { PolicyMatch } from '../../domain/policies/match-policies.ts';
import { riskCategory } from '../../domain/policies/risk.ts';
import { textsIn } from '../../domain/policies/texts-in.ts';
import { presetAmong } from '../../domain/redaction/preset-among.ts';
import { previewInput } from '../../domain/redaction/preview-input.ts';
import type { Db } from '../../infra/database.ts';
import { randomId } from '../../infra/tokens.ts';
import { insertApproval, type NewApproval } from '../../store/approvals.ts';
import { holdConcern } from '../../store/concerns.ts';
import { insertOutbox } from '../../store/outbox.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { announceApproval } from './announce-approval.ts';

/**
 * Creates a pending approval in the transaction `tx`. Start the workflow of the approval after the
 * commit. Throws NOT_FOUND if a record that the approval depends on was deleted.
 */
export async function requestApproval(gateway: Gateway, tx: Db, approval: NewApproval): Promise<Approval> {
  const { orgId, workspaceId, mcpServerId, concernedIntegrationIds, concernedConnectionIds } = approval;
  const rests = { workspaceId: [workspaceId], mcpServerId: [mcpServerId], workspaceIntegrationId: concernedIntegrationIds };
  if (!(await holdConcern(tx, { orgId, ...rests, connectionId: concernedConnectionIds })))
    throw new GatewayError('NOT_FOUND', 'A record that this call refers to was deleted.');
  const created = await insertApproval(tx, approval);
  await announceApproval(gateway, tx, 'approval.requested', created);
  await insertOutbox(tx, { kind: 'approval-requested', approvalId: created.id });
  await recordActivity(tx, requested(created));
  return created;
}

function requested(approval: Approval): NewActivity {
  const { requestedByType, requestedById, policyName, riskReasons, source, inputHash, endUserId, expiresAt } = approval;
  const actor = { type: requestedByType, id: requestedById };
  const details = { policyName, reasons: riskReasons, source, inputHash, endUserId, expiresAt: expiresAt.toISOString() };
  return { ...aboutApproval(approval), type: 'approval.requested', actor, details };
}

/** The approval of a call under the policy that matched the call. */
export function approvalOfCall({ call, match, inputHash }: Omit<GatedCall, 'cleared'>): NewApproval {
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
    definitionHash: call.definitionHash ?? null,
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
    presetPaths: presetAmong(redactedPaths, call.hiddenPaths),
    riskReasons: shownReasons(match, call),
    idempotencyKey: call.idempotencyKey ?? randomId('idem_'),
    codeRunId: call.run?.codeRunId ?? null,
    callNumber: call.run?.callNumber ?? null,
    requestedByType: call.requestedBy.type,
    requestedById: call.requestedBy.id,
  };
}

/** The id and status of a new approval, and the fields that its policy determines. */
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

/** The reasons of a match for reviewers. They do not contain hidden values. */
export function shownReasons({ policy, reasons }: PolicyMatch, call: Call): string[] {
  if (call.hiddenPaths.length === 0) return reasons;
  const hidden = new Set(call.hiddenPaths);
  const input = Object.fromEntries(Object.entries(call.input).filter(([key]) => !hidden.has(key)));
  const texts = new Set(textsIn(input));
  const visible = (values: string[] | undefined) => values?.filter((value) => texts.has(value));
  const shown = new Set(evaluateRules(policy.rules, { ...call, input, recipients: visible(call.recipients), paths: visible(call.paths) }));
  return reasons.map((reason) => {
    const rule = Object.keys(policy.rules).find((name) => reason.startsWith(`${name}: `));
    return rule === undefined || shown.has(reason) ? reason : `${rule}: because of a value that is not shown`;
  });
}

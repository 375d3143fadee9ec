/** Events of an organization's audit log (docs/audit.md). */
import type { ApiKey } from './api-key.ts';
import { type Actor, type Approval, settledEvent } from './approval.ts';
import type { Call } from './call.ts';
import type { UserPerson } from './person.ts';
import type { Cleared } from './policies/match-policies.ts';
import type { Policy } from './policies/policy.ts';
import { policyText } from './policies/policy-text.ts';
import { describeRisk, riskCategory } from './policies/risk.ts';
import { previewInput } from './redaction/preview-input.ts';

export const ACTIVITY_TYPES = [
  'approval.requested',
  'approval.approved',
  'approval.rejected',
  'approval.canceled',
  'approval.expired',
  'approval.consumed',
  'approval.decision_refused',
  'call.let_through',
  'call.reused',
  'call.blocked',
  'call.outcome_unknown',
  'code_run.canceled',
  'code_run.replayed',
  'webhook.delivered',
  'webhook.attempt_failed',
  'webhook.given_up',
  'webhook.redelivery_asked',
  'webhook_secret.rotated',
  'policy.created',
  'policy.updated',
  'policy.deleted',
  'api_key.created',
  'api_key.deleted',
  'mcp_server.created',
  'mcp_server.updated',
  'mcp_server.suspended',
  'mcp_server.resumed',
  'mcp_server.deleted',
  'mcp_token.issued',
  'mcp_token.revoked',
  'oauth_app.created',
  'oauth_app.deleted',
  'integration.imported',
  'integration.updated',
  'integration.deleted',
  'integration_change.found',
  'integration_change.accepted',
  'integration_change.rejected',
  'workspace.created',
  'workspace.updated',
  'workspace.deleted',
  'workspace_integration.added',
  'workspace_integration.updated',
  'workspace_integration.removed',
  'partial.created',
  'partial.updated',
  'partial.deleted',
  'connection.created',
  'connection.reconnected',
  'connection.failed',
  'connection.recovered',
  'connection.deleted',
  'connect_link.issued',
  'end_user.created',
  'end_user.updated',
  'end_user.invited',
  'end_user.deleted',
  'organization.renamed',
  'encryption_key.rotated',
  'oauth_keys.rotated',
  'member.added',
  'member.updated',
  'member.removed',
  'member.invited',
  'member.signed_in',
  'member.sign_in_failed',
  'member.signed_out_everywhere',
  'member.password_changed',
] as const;
export type ActivityType = (typeof ACTIVITY_TYPES)[number];

/** An event to record. `details` contain no secret and no raw input. */
export interface NewActivity {
  orgId: string;
  /** Null for an event of the whole organization. */
  workspaceId: string | null;
  type: ActivityType;
  actor: Actor;
  approvalId?: string | null;
  policyId?: string | null;
  policyVersion?: number | null;
  callId?: string | null;
  codeRunId?: string | null;
  deliveryId?: string | null;
  integrationName?: string | null;
  actionName?: string | null;
  details?: Record<string, unknown>;
}

/** A row of the audit log. */
export interface Activity {
  id: number;
  orgId: string;
  workspaceId: string | null;
  type: ActivityType;
  actorType: Actor['type'];
  actorId: string | null;
  approvalId: string | null;
  policyId: string | null;
  policyVersion: number | null;
  callId: string | null;
  codeRunId: string | null;
  deliveryId: string | null;
  integrationName: string | null;
  actionName: string | null;
  /** Canonical JSON (RFC 8785), as it is stored and hashed. */
  details: string;
  /** To the microsecond: `2026-03-01T12:00:00.123456Z`. */
  createdAt: string;
}

/** The place of a row in the hash chain of its organization. */
export interface Seal {
  position: number;
  /** SHA-256, hex. */
  hash: string;
}

/** Returns the fields that every event about this approval has. */
export function aboutApproval(approval: Approval) {
  const { orgId, workspaceId, id, policyId, policyVersion, codeRunId, integrationName, actionName } = approval;
  return { orgId, workspaceId, approvalId: id, policyId, policyVersion, codeRunId, integrationName, actionName };
}

/**
 * Returns the event of a settled approval. Hides secrets in the metadata of the decision. `sender`:
 * see `sentBy`.
 */
export function settledActivity(approval: Approval, sender?: string | null): NewActivity {
  const { status, decidedByType, decidedById, decisionReason: reason, decisionMetadata: given, inputHash } = approval;
  const actor = { type: decidedByType ?? 'system', id: decidedById };
  const decisionMetadata = given && previewInput(given).preview;
  return {
    ...aboutApproval(approval),
    type: settledEvent(approval),
    actor,
    details: { status, reason, decisionMetadata, inputHash, ...sentBy(sender) },
  };
}

/**
 * The sender of an operator's decision or cancellation, as a detail of the event. A sender from
 * Temporal is not verified: any client can claim any sender.
 */
export function sentBy(sender: string | null | undefined): { sender?: string } {
  return sender ? { sender } : {};
}

/** Returns an event of a member. */
export function memberActivity(
  type: Extract<ActivityType, `member.${string}`>,
  member: UserPerson,
  actor: Actor,
  details: Record<string, unknown> = {},
): NewActivity {
  const { orgId, id: userId, email, displayName, role } = member;
  return { orgId, workspaceId: null, type, actor, details: { userId, email, displayName, role, ...details } };
}

/** Returns the event of a key that was created or deleted. */
export function apiKeyActivity(type: `api_key.${'created' | 'deleted'}`, key: ApiKey, actor: Actor): NewActivity {
  const { orgId, id: keyId, name, keyPrefix, permissions, expiresAt } = key;
  const details = { keyId, name, keyPrefix, permissions, expiresAt: expiresAt?.toISOString() ?? null };
  return { orgId, workspaceId: null, type, actor, details };
}

/**
 * Returns the event of a policy change. `restoredVersion`: the version that the change restores.
 */
export function policyActivity(
  type: `policy.${'created' | 'updated' | 'deleted'}`,
  policy: Policy,
  actor: Actor,
  restoredVersion?: number,
): NewActivity {
  const { orgId, workspaceId, id: policyId, version: policyVersion } = policy;
  return {
    orgId,
    workspaceId,
    type,
    actor,
    policyId,
    policyVersion,
    details: { policy: policyText(policy), ...(restoredVersion !== undefined && { restoredVersion }) },
  };
}

/** Returns the fields that every event about this call has. The actor is the caller. */
export function aboutCall(call: Call) {
  const { orgId, workspaceId, integrationName, actionName, requestedBy, run } = call;
  return { orgId, workspaceId, integrationName, actionName, codeRunId: run?.codeRunId ?? null, actor: requestedBy };
}

/** Returns the event of a call whose risk score was too low for the policy to match. */
export function clearedActivity(
  { policy, risk }: Cleared,
  call: Call,
  callId: string | null,
  details: Record<string, unknown>,
): NewActivity {
  const { id: policyId, version: policyVersion, name: policyName, decision } = policy;
  const said = { reasons: [describeRisk(risk)], riskScore: risk.score, riskCategory: riskCategory(risk.score) };
  const shown = { policyName, decision, ...said, source: call.source, ...details };
  return { ...aboutCall(call), type: 'call.let_through', callId, policyId, policyVersion, details: shown };
}

/** Approval requests and their state transitions (specification 2.8, 3.1; contract decisions 3). */
import type { ApprovalAccessMode, RecordedApprover, TimeoutOutcome } from './policies/policy.ts';
import type { RiskCategory } from './policies/risk.ts';

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'expired', 'canceled', 'consumed'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

export const DECISIONS = ['approve', 'reject', 'cancel'] as const;
export type Decision = (typeof DECISIONS)[number];

/** The status that each decision leads to. */
export const OUTCOME = { approve: 'approved', reject: 'rejected', cancel: 'canceled' } as const satisfies Record<Decision, ApprovalStatus>;

export const APPROVAL_EVENTS = [
  'approval.requested',
  'approval.approved',
  'approval.rejected',
  'approval.canceled',
  'approval.expired',
] as const;
export type ApprovalEvent = (typeof APPROVAL_EVENTS)[number];

/**
 * Returns the event of a settled approval. Every timeout is `approval.expired` (contract decisions
 * 3).
 */
export function settledEvent(approval: Pick<Approval, 'status' | 'decidedByType'>): ApprovalEvent {
  if (approval.decidedByType === 'timeout') return 'approval.expired';
  return `approval.${approval.status}` as ApprovalEvent;
}

/**
 * The kind of an actor. `user` is a member of the organization and has the member's id. `end_user`
 * has the external id of an end user. `hosted_link` is the holder of a link. `operator` acted on
 * the machine or in the Temporal UI.
 */
export type ActorType = 'api_key' | 'mcp_token' | 'hosted_link' | 'user' | 'end_user' | 'operator' | 'policy' | 'timeout' | 'system';

/** The person or system that caused an event, such as a call or a decision. */
export interface Actor {
  type: ActorType;
  id: string | null;
}

/**
 * The actor for a Temporal signal without an operator code. The sender that Temporal records is not
 * trusted.
 */
export const UNVERIFIED_OPERATOR: Actor = { type: 'operator', id: 'unverified' };

/** An action that a program may call under an approved plan. */
export interface PlannedTool {
  alias: string;
  action: string;
  /** The account (`connectionOf` in domain/binding.ts). Null for an action without an account. */
  connection: string | null;
}

/** One approval request. `inputPreview` is redacted; the raw input is not stored. */
export interface Approval {
  id: string;
  orgId: string;
  workspaceId: string;
  policyId: string | null;
  policyVersion: number | null;
  policyName: string | null;
  /** The approvers that the policy named. */
  approvers: RecordedApprover[];
  mcpServerId: string | null;
  workspaceIntegrationId: string | null;
  /** If one of these records is deleted while the approval is pending, the approval is canceled. */
  concernedConnectionIds: string[];
  concernedIntegrationIds: string[];
  /** The account of a call, and how often this account was connected (1 at first). */
  connectionId: string | null;
  connectionVersion: number | null;
  /** Definition hash of an imported action at the time of the request. */
  definitionHash: string | null;
  /** Hashes of the program of a code run, and of the actions that the program uses. */
  codeHash: string | null;
  toolSurfaceHash: string | null;
  /** The actions that the program of a plan may call, with their accounts. */
  plannedTools: PlannedTool[] | null;
  /**
   * Hash of the call as the caller sent it. Null if the caller cannot repeat the call with an
   * idempotency key.
   */
  requestHash: string | null;
  connectionStrategy: string | null;
  endUserId: string | null;
  source: string;
  status: ApprovalStatus;
  integrationName: string;
  integrationAlias: string | null;
  actionName: string;
  inputHash: string;
  inputPreview: Record<string, unknown>;
  redactedPaths: string[];
  /** Those of `redactedPaths` that are hidden only because the organization preset their values. */
  presetPaths: string[];
  riskReasons: string[];
  riskScore: number | null;
  riskCategory: RiskCategory | null;
  approvalAccessMode: ApprovalAccessMode;
  timeoutSeconds: number;
  defaultOnTimeout: TimeoutOutcome;
  idempotencyKey: string;
  codeRunId: string | null;
  /** The number of the call in its code run, from 0. Null for a plan and outside a run. */
  callNumber: number | null;
  requestedByType: ActorType;
  requestedById: string | null;
  decidedByType: ActorType | null;
  decidedById: string | null;
  decisionReason: string | null;
  decisionMetadata: Record<string, unknown> | null;
  decidedAt: Date | null;
  consumedAt: Date | null;
  expiresAt: Date;
  createdAt: Date;
  updatedAt: Date;
}

/** The record of what was approved: one exact call, or the plan of a code run. */
export interface Receipt {
  id: string;
  orgId: string;
  approvalId: string;
  inputHash: string;
  expiresAt: Date;
  createdAt: Date;
}

/**
 * Returns when an approval was decided or timed out. Null while it is pending at the database time
 * `now`.
 */
export function settledAt(approval: Pick<Approval, 'status' | 'decidedAt' | 'decidedByType' | 'expiresAt'>, now: Date): Date | null {
  const { status, decidedAt, decidedByType, expiresAt } = approval;
  if (status === 'pending') return expiresAt <= now ? expiresAt : null;
  // A timeout can be recorded long after `expiresAt`.
  return decidedAt === null || (decidedByType === 'timeout' && expiresAt < decidedAt) ? expiresAt : decidedAt;
}

/** Whether people can decide on the hosted page (specification 2.7, approvalAccessMode). */
export function allowsHostedLink(mode: ApprovalAccessMode): boolean {
  return mode !== 'dashboard_only';
}

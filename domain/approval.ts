/** Approval requests: what they are and which moves they may make (specification 2.8, 3.1; decisions section 3). */
import type { RecordedApprover } from './approver-rules.ts';
import type { RiskCategory } from './risk.ts';

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'expired', 'canceled', 'consumed'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** Every move an approval may make. Anything else is impossible, not merely unexpected. */
export const TRANSITIONS = {
  pending: ['approved', 'rejected', 'expired', 'canceled'],
  approved: ['consumed', 'expired'],
  rejected: [],
  expired: [],
  canceled: [],
  consumed: [],
} as const satisfies Record<ApprovalStatus, readonly ApprovalStatus[]>;

export const DECISIONS = ['approve', 'reject', 'cancel'] as const;
export type Decision = (typeof DECISIONS)[number];

/** What a decision makes of a pending approval. */
export const OUTCOME = { approve: 'approved', reject: 'rejected', cancel: 'canceled' } as const satisfies Record<Decision, ApprovalStatus>;

export const APPROVAL_EVENTS = [
  'approval.requested',
  'approval.approved',
  'approval.rejected',
  'approval.canceled',
  'approval.expired',
] as const;
export type ApprovalEvent = (typeof APPROVAL_EVENTS)[number];

/** The event that tells of a settled approval; a timeout is `approval.expired` whatever status it led to (decisions section 3). */
export function settledEvent(approval: Pick<Approval, 'status' | 'decidedByType'>): ApprovalEvent {
  if (approval.decidedByType === 'timeout') return 'approval.expired';
  return `approval.${approval.status}` as ApprovalEvent;
}

export const ACCESS_MODES = ['dashboard_only', 'dashboard_and_hosted_link', 'hosted_link_only'] as const;
export type ApprovalAccessMode = (typeof ACCESS_MODES)[number];

export const TIMEOUT_OUTCOMES = ['reject', 'expire'] as const;
export type TimeoutOutcome = (typeof TIMEOUT_OUTCOMES)[number];

/**
 * Who asked for a call, or who decided it. A `user` is a member of the organization, by id; an `end_user` goes by external id; a
 * `hosted_link` is whoever held it; an `operator` acted on the machine or in the Temporal UI.
 */
export type ActorType = 'api_key' | 'mcp_token' | 'hosted_link' | 'user' | 'end_user' | 'operator' | 'policy' | 'timeout' | 'system';

export interface Actor {
  type: ActorType;
  id: string | null;
}

/** An action that an approved plan lets a program call. */
export interface PlannedTool {
  alias: string;
  action: string;
  /** `connectionOf` that account; null for an action that needs none. */
  connection: string | null;
}

/** One approval request. Times are Dates; `inputPreview` is redacted, the raw input is kept nowhere. */
export interface Approval {
  id: string;
  orgId: string;
  workspaceId: string;
  policyId: string | null;
  policyVersion: number | null;
  policyName: string | null;
  /** Who may decide it, where a person does. */
  approvers: RecordedApprover[];
  mcpServerId: string | null;
  workspaceIntegrationId: string | null;
  /** What it rests on: when one of these goes, so does what is pending. A plan may rest on several. */
  concernedConnectionIds: string[];
  concernedIntegrationIds: string[];
  /** Of a call: the account that it acts with, and how often that one was connected anew. */
  connectionId: string | null;
  connectionVersion: number | null;
  /** Of a code run, and of a call of one: the program, and what it could reach. */
  codeHash: string | null;
  toolSurfaceHash: string | null;
  /** Of a plan: what it lets the program call, and with which account. */
  plannedTools: PlannedTool[] | null;
  /** Hash of the call as the caller sent it; null where nobody can repeat it by a key. */
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
  riskReasons: string[];
  riskScore: number | null;
  riskCategory: RiskCategory | null;
  approvalAccessMode: ApprovalAccessMode;
  timeoutSeconds: number;
  defaultOnTimeout: TimeoutOutcome;
  idempotencyKey: string;
  codeRunId: string | null;
  callNumber: number | null;
  requestedByType: ActorType;
  requestedById: string | null;
  decidedByType: ActorType | null;
  decidedById: string | null;
  decisionReason: string | null;
  /** What the caller who decided gave along with it; null where nothing. */
  decisionMetadata: Record<string, unknown> | null;
  decidedAt: Date | null;
  consumedAt: Date | null;
  expiresAt: Date;
  createdAt: Date;
  updatedAt: Date;
}

/** Permission to run one exact call once, made by an approval; it ends at `expiresAt`. */
export interface Receipt {
  id: string;
  orgId: string;
  approvalId: string;
  inputHash: string;
  expiresAt: Date;
  createdAt: Date;
}

/** True when the hosted page may decide this approval (specification 2.7, approvalAccessMode). */
export function allowsHostedLink(mode: ApprovalAccessMode): boolean {
  return mode !== 'dashboard_only';
}

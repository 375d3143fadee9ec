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
 * The event of a settled approval. A timeout is `approval.expired`, whichever status it led to
 * (contract decisions 3).
 */
export function settledEvent(approval: Pick<Approval, 'status' | 'decidedByType'>): ApprovalEvent {
  if (approval.decidedByType === 'timeout') return 'approval.expired';
  return `approval.${approval.status}` as ApprovalEvent;
}

/**
 * Who made a call, or decided it. A `user` is a member of the organization, by ID. An `end_user`
 * has its external ID. A `hosted_link` is the holder of a link. An `operator` acted on the machine
 * or in the Temporal UI.
 */
export type ActorType = 'api_key' | 'mcp_token' | 'hosted_link' | 'user' | 'end_user' | 'operator' | 'policy' | 'timeout' | 'system';

export interface Actor {
  type: ActorType;
  id: string | null;
}

/**
 * The sender of a Temporal signal without a code. The sender that Temporal records is not trusted.
 */
export const UNVERIFIED_OPERATOR: Actor = { type: 'operator', id: 'unverified' };

/** An action that a program may call under an approved plan. */
export interface PlannedTool {
  alias: string;
  action: string;
  /** The account, as `connectionOf` gives it; null for an action without one. */
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
  /** The people who may decide it. */
  approvers: RecordedApprover[];
  mcpServerId: string | null;
  workspaceIntegrationId: string | null;
  /**
   * The records that it depends on: if one is deleted, a pending approval is canceled. A plan may
   * depend on several.
   */
  concernedConnectionIds: string[];
  concernedIntegrationIds: string[];
  /** For a call: its account, and how often that was reconnected. */
  connectionId: string | null;
  connectionVersion: number | null;
  /** For an action of an imported integration: the hash of the action at the time. */
  definitionHash: string | null;
  /** For a code run and its calls: the program, and the actions that it could call. */
  codeHash: string | null;
  toolSurfaceHash: string | null;
  /** For a plan: the actions that the program may call, with their accounts. */
  plannedTools: PlannedTool[] | null;
  /**
   * Hash of the call as the caller sent it; null if the caller cannot repeat it by an idempotency
   * key.
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
  /** Those of `redactedPaths` that are hidden only because the organization has preset them. */
  presetPaths: string[];
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
  /** Metadata that the decider sent; null for none. */
  decisionMetadata: Record<string, unknown> | null;
  decidedAt: Date | null;
  consumedAt: Date | null;
  expiresAt: Date;
  createdAt: Date;
  updatedAt: Date;
}

/** The permission that an approval gives to run one exact call once, until `expiresAt`. */
export interface Receipt {
  id: string;
  orgId: string;
  approvalId: string;
  inputHash: string;
  expiresAt: Date;
  createdAt: Date;
}

/**
 * When an approval was settled: decided, or its time was up by the database time `now`. Null while
 * it is pending. The later use or expiry of an approved one does not change it.
 */
export function settledAt(approval: Pick<Approval, 'status' | 'decidedAt' | 'decidedByType' | 'expiresAt'>, now: Date): Date | null {
  const { status, decidedAt, decidedByType, expiresAt } = approval;
  if (status === 'pending') return expiresAt <= now ? expiresAt : null;
  // A timeout may be recorded long after the time was up.
  return decidedAt === null || (decidedByType === 'timeout' && expiresAt < decidedAt) ? expiresAt : decidedAt;
}

/** Whether the hosted page may decide this approval (specification 2.7, approvalAccessMode). */
export function allowsHostedLink(mode: ApprovalAccessMode): boolean {
  return mode !== 'dashboard_only';
}

/** Sources of calls, by which policies can filter (specification 2.7, 4.4). */

export const SOURCES = ['rest', 'sdk', 'mcp_tools', 'mcp_code', 'playground', 'trigger'] as const;
export type Source = (typeof SOURCES)[number];
export const DEFAULT_SOURCES = ['rest', 'sdk', 'mcp_tools', 'mcp_code'] as const satisfies readonly Source[];

export const CONNECTION_STRATEGIES = ['fixed', 'per_user', 'per_user_with_fallback'] as const;
export type ConnectionStrategy = (typeof CONNECTION_STRATEGIES)[number];

/** The strategy of an integration that the workspace has not configured (specification 2.6). */
export const DEFAULT_STRATEGY: ConnectionStrategy = 'fixed';

export const END_USER_MODES = ['any', 'end_user_present', 'no_end_user'] as const;
export const RISK_MODES = ['rules', 'always', 'model_assisted'] as const;

/**
 * Decisions, the most severe first. At equal priority, the more severe one decides (specification
 * 4.4, contract decisions 3).
 */
export const POLICY_DECISIONS = ['block', 'require_approval', 'notify_only', 'auto_approve'] as const;
export type PolicyDecision = (typeof POLICY_DECISIONS)[number];

/** `shadow`: the policy only records what it would decide. */
export const POLICY_MODES = ['enforce', 'shadow'] as const;
type PolicyMode = (typeof POLICY_MODES)[number];

export const ACTION_CATEGORIES = ['read', 'write', 'delete', 'send', 'payment', 'admin', 'code', 'file'] as const;
export type ActionCategory = (typeof ACTION_CATEGORIES)[number];

export const ACCESS_MODES = ['dashboard_only', 'dashboard_and_hosted_link', 'hosted_link_only'] as const;
export type ApprovalAccessMode = (typeof ACCESS_MODES)[number];

export const TIMEOUT_OUTCOMES = ['reject', 'expire'] as const;
export type TimeoutOutcome = (typeof TIMEOUT_OUTCOMES)[number];

/** Roles of members, the role with the most rights first (contract decisions 7, Members). */
export const ORG_ROLES = ['owner', 'admin', 'member', 'viewer'] as const;
export type OrgRole = (typeof ORG_ROLES)[number];

/** Roles that may decide approvals. */
export const REVIEWER_ROLES = ['owner', 'admin', 'member'] as const satisfies readonly OrgRole[];
export type ReviewerRole = (typeof REVIEWER_ROLES)[number];

/** The people and systems that may decide an approval (specification 2.7). */
export type Approver =
  | { type: 'org_role'; roles: ReviewerRole[] }
  | { type: 'dashboard_user'; userIds: string[] }
  | { type: 'end_user' }
  | { type: 'webhook'; webhookUrl: string };

/** An approver as an approval stores it: a webhook without its address. */
export type RecordedApprover = PersonApprover | { type: 'webhook' };

/** An approver that stands for one or more people. */
export type PersonApprover = Exclude<Approver, { type: 'webhook' }>;

/** A bound on the amounts at `path`. At least one of `gte` and `gt` is set. */
export interface AmountThreshold {
  path: string;
  gte?: number;
  gt?: number;
  currency?: string;
  currencyPath?: string;
}

/** Conditions on a call (contract decisions 3). An absent rule never fires. */
export interface PolicyRules {
  actionCategories?: ActionCategory[];
  amountThresholds?: AmountThreshold[];
  recipientAllowlist?: string[];
  recipientDenylist?: string[];
  domainAllowlist?: string[];
  domainDenylist?: string[];
  storagePathPrefixes?: string[];
}

/** The fields that API callers can set. */
export interface PolicyFields {
  workspaceId: string | null;
  name: string;
  description: string | null;
  enabled: boolean;
  mode: PolicyMode;
  priority: number;
  sources: Source[];
  mcpServerIds: string[];
  workspaceIntegrationIds: string[];
  integrationNames: string[];
  integrationAliases: string[];
  actionNames: string[];
  connectionStrategies: ConnectionStrategy[];
  endUserMode: (typeof END_USER_MODES)[number];
  decision: PolicyDecision;
  riskMode: (typeof RISK_MODES)[number];
  rules: PolicyRules;
  approvers: Approver[];
  timeoutSeconds: number;
  defaultOnTimeout: TimeoutOutcome;
  reuseWindowSeconds: number | null;
  approvalAccessMode: ApprovalAccessMode;
  metadata: Record<string, unknown> | null;
}

export interface Policy extends PolicyFields {
  id: string;
  orgId: string;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Compares policies by priority, then severity, then id (specification 4.4). */
export function comparePolicies(a: Policy, b: Policy): number {
  return a.priority - b.priority || POLICY_DECISIONS.indexOf(a.decision) - POLICY_DECISIONS.indexOf(b.decision) || (a.id < b.id ? -1 : 1);
}

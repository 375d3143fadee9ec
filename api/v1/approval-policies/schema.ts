import { z } from 'zod';
import { POLICY } from '../../../domain/limits.ts';
import {
  ACCESS_MODES,
  CONNECTION_STRATEGIES,
  DEFAULT_SOURCES,
  END_USER_MODES,
  POLICY_DECISIONS,
  POLICY_MODES,
  REVIEWER_ROLES,
  RISK_MODES,
  SOURCES,
  TIMEOUT_OUTCOMES,
} from '../../../domain/policies/policy.ts';
import { name as anyName, jsonObject, kept, keptJson, text, timestamp, uuid } from '../../schemas.ts';
import { policyRules } from './rules-schema.ts';

const MAX_APPROVERS = 50;
const MAX_CHOICES = 50;
export const WEBHOOK_URL_MAX_LENGTH = 2000;

export const WRITERS =
  'Every org-wide key may write policies. A workspace key may write policies for its workspaces only if it has `permissions.approvals.decide`.';

const names = z.array(anyName).max(POLICY.maxFilterItems);
const ids = z.array(uuid).max(POLICY.maxFilterItems);

const orgRole = z.strictObject({ type: z.literal('org_role'), roles: z.array(z.enum(REVIEWER_ROLES)).min(1).max(MAX_CHOICES) });
const dashboardUser = z.strictObject({
  type: z.literal('dashboard_user'),
  userIds: names.min(1).describe('ids of members of the organization; unknown ids match nobody'),
});
const endUser = z.strictObject({ type: z.literal('end_user') });
const webhook = z.strictObject({
  type: z.literal('webhook'),
  webhookUrl: text.min(1).max(WEBHOOK_URL_MAX_LENGTH).describe('public HTTPS URL'),
});

function approversOf(kindOfWebhook: typeof webhook) {
  return kept(z.array(z.discriminatedUnion('type', [orgRole, dashboardUser, endUser, kindOfWebhook])).max(MAX_APPROVERS));
}

const fields = {
  workspaceId: uuid.nullable(),
  name: text.min(1).max(POLICY.nameMaxLength),
  description: text.max(POLICY.descriptionMaxLength).nullable(),
  enabled: z.boolean(),
  mode: z.enum(POLICY_MODES).describe('shadow: records what the policy would decide, and affects no call'),
  priority: z.int().min(POLICY.priority.min).max(POLICY.priority.max),
  sources: z.array(z.enum(SOURCES)).min(1).max(MAX_CHOICES),
  mcpServerIds: ids,
  workspaceIntegrationIds: ids,
  integrationNames: names,
  integrationAliases: names,
  actionNames: names,
  connectionStrategies: z.array(z.enum(CONNECTION_STRATEGIES)).max(MAX_CHOICES),
  endUserMode: z.enum(END_USER_MODES),
  decision: z.enum(POLICY_DECISIONS),
  riskMode: z.enum(RISK_MODES),
  rules: kept(policyRules),
  approvers: approversOf(webhook),
  timeoutSeconds: z.int().min(POLICY.timeoutSeconds.min).max(POLICY.timeoutSeconds.max),
  defaultOnTimeout: z.enum(TIMEOUT_OUTCOMES),
  reuseWindowSeconds: z.int().min(POLICY.reuseWindowSeconds.min).max(POLICY.reuseWindowSeconds.max).nullable(),
  approvalAccessMode: z.enum(ACCESS_MODES),
  metadata: keptJson.nullable(),
};

/** A new policy, with the defaults of specification 4.4. */
export const newPolicy = z.strictObject({
  workspaceId: fields.workspaceId.default(null),
  name: fields.name,
  description: fields.description.default(null),
  enabled: fields.enabled.default(true),
  mode: fields.mode.default('enforce'),
  priority: fields.priority.default(POLICY.priority.default),
  sources: fields.sources.default([...DEFAULT_SOURCES]),
  mcpServerIds: fields.mcpServerIds.default([]),
  workspaceIntegrationIds: fields.workspaceIntegrationIds.default([]),
  integrationNames: fields.integrationNames.default([]),
  integrationAliases: fields.integrationAliases.default([]),
  actionNames: fields.actionNames.default([]),
  connectionStrategies: fields.connectionStrategies.default([]),
  endUserMode: fields.endUserMode.default('any'),
  decision: fields.decision.default('require_approval'),
  riskMode: fields.riskMode.default('rules'),
  rules: fields.rules.default({}),
  approvers: fields.approvers.default([]),
  timeoutSeconds: fields.timeoutSeconds.default(POLICY.timeoutSeconds.default),
  defaultOnTimeout: fields.defaultOnTimeout.default('reject'),
  reuseWindowSeconds: fields.reuseWindowSeconds.default(null),
  approvalAccessMode: fields.approvalAccessMode.default('dashboard_and_hosted_link'),
  metadata: fields.metadata.default(null),
});

/** Absent fields stay unchanged. A given list or object replaces the whole stored value. */
export const policyChanges = z
  .strictObject(fields)
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, 'provide at least one field to change');

export const policyDifferences = z.array(
  z.object({
    field: z.string().describe('such as priority, or rules.domainDenylist'),
    before: z.unknown().describe('null if the field was absent'),
    after: z.unknown(),
  }),
);

const warnings = z
  .array(z.string())
  .describe('warnings about unexpected effects, such as a gated caller that can approve its own calls')
  .meta({ examples: [['Self-approvable: the end user of a call may approve the call, and may also be its caller.']] });

const secret = z
  .string()
  .optional()
  .describe('the signing secret of deliveries; only in the answer of the request that created the secret');

/** A version of a policy, with the fields of this version. */
export const policyVersion = z
  .object({
    version: z.int(),
    changedBy: z.object({ type: z.string(), id: z.string().nullable() }),
    changedAt: timestamp,
    restoredVersion: z.int().nullable().describe('the earlier version that this version restored'),
    changes: policyDifferences.describe('the differences from the previous version'),
    ...fields,
  })
  .meta({ id: 'ApprovalPolicyVersion' });

export const policy = z
  .object({
    ...fields,
    id: uuid,
    orgId: uuid,
    version: z.int(),
    approvers: z.array(z.discriminatedUnion('type', [orgRole, dashboardUser, endUser, webhook.extend({ secret })])),
    warnings,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'ApprovalPolicy' });

const ignored = z.unknown().optional().describe('field of a stored policy; ignored');

/** A policy to test or backtest: a new policy, or a stored policy as GET returns it. */
export const testedPolicy = newPolicy.extend({
  name: fields.name.default('Test'),
  approvers: approversOf(webhook.extend({ secret: ignored })).default([]),
  ...{ id: ignored, orgId: ignored, version: ignored, warnings: ignored, createdAt: ignored, updatedAt: ignored },
});

export const policyTest = z.strictObject({
  policy: testedPolicy.describe('a body as for creating a policy, or a policy as GET returns it'),
  context: z.strictObject({
    workspaceId: uuid,
    source: z.enum(SOURCES),
    integrationName: anyName,
    integrationAlias: anyName
      .nullable()
      .default(null)
      .describe('null: the alias of the workspace integration, or else the integration name'),
    actionName: anyName,
    connectionStrategy: z
      .enum(CONNECTION_STRATEGIES)
      .nullable()
      .default(null)
      .describe('null: the strategy of the workspace integration, or else fixed'),
    endUserId: anyName.nullable().default(null).describe('external id of the end user of the call; null: none'),
    mcpServerId: uuid.nullable().default(null).describe('MCP server of the call, in the workspace; null: none'),
    workspaceIntegrationId: uuid
      .nullable()
      .default(null)
      .describe('the called workspace integration, with its alias and strategy; null: an integration that the workspace did not configure'),
    input: jsonObject.default({}),
  }),
});

export const policyTestAnswer = z.object({
  decision: z.enum([...POLICY_DECISIONS, 'allow']).describe('allow if the policy does not match'),
  matched: z.boolean(),
  reasons: z
    .array(z.string())
    .describe('whether each filter and rule matched, and why; the answer of the risk model, if it was asked; problems of the input'),
  warnings,
});

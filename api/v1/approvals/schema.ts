import { z } from 'zod';
import { receiptClaims } from '../../../commands/approvals/receipt-claims.ts';
import { APPROVAL_EVENTS, APPROVAL_STATUSES } from '../../../domain/approval.ts';
import { DECISION_REASON_MAX_LENGTH, NAME_MAX_LENGTH } from '../../../domain/limits.ts';
import { ACCESS_MODES, SOURCES, TIMEOUT_OUTCOMES } from '../../../domain/policies/policy.ts';
import { RISK_CATEGORIES } from '../../../domain/policies/risk.ts';
import { jsonObject, keptJson, page, text, timestamp, uuid } from '../../schemas.ts';

const name = text.max(NAME_MAX_LENGTH);

export const approvalId = z
  .string()
  .regex(/^apr_[0-9A-Za-z]{22}$/)
  .meta({ examples: ['apr_4kX9mZ7Qw2LpT8vB1nC6dR'] });

export const approvalsQuery = z.strictObject({
  workspaceId: uuid.optional(),
  status: z.enum(APPROVAL_STATUSES).optional(),
  source: z.enum(SOURCES).optional(),
  integrationName: name.optional(),
  actionName: name.optional(),
  limit: page.shape.limit,
  cursor: z.string().max(500).optional().describe('nextCursor of the previous page'),
});

export const decisionBody = z
  .strictObject({ reason: text.max(DECISION_REASON_MAX_LENGTH).optional(), metadata: keptJson.optional() })
  .optional();

export const approval = z
  .object({
    id: approvalId,
    orgId: uuid,
    workspaceId: uuid,
    policyId: uuid.nullable(),
    policyVersion: z.int().nullable().describe('version of the policy at the time of the request'),
    mcpServerId: uuid.nullable(),
    workspaceIntegrationId: uuid.nullable(),
    connectionStrategy: z.string().nullable(),
    endUserId: z.string().nullable(),
    source: z.string(),
    status: z.enum(APPROVAL_STATUSES),
    integrationName: z.string(),
    integrationAlias: z.string().nullable(),
    actionName: z.string(),
    inputHash: z.string(),
    inputPreview: jsonObject,
    redactedPaths: z.array(z.string()),
    riskReasons: z.array(z.string()),
    riskScore: z.number().nullable().describe('0 (harmless) to 1; null without a risk assessment'),
    riskCategory: z.enum(RISK_CATEGORIES).nullable().describe('category of the score'),
    approvalAccessMode: z.enum(ACCESS_MODES),
    approvalUrl: z.string().nullable(),
    hostedApprovalUrl: z
      .string()
      .nullable()
      .describe(
        'a bearer link to the page on which people decide. After the decision, the page shows the outcome for 24 hours. Null for keys that may not decide, and for the access mode dashboard_only',
      ),
    idempotencyKey: z.string().nullable(),
    defaultOnTimeout: z.enum(TIMEOUT_OUTCOMES),
    requestedByType: z.string(),
    requestedById: z.string().nullable(),
    decidedByType: z
      .string()
      .nullable()
      .describe('api_key, hosted_link, user (a member of the organization), end_user, operator, policy, timeout or system'),
    decidedById: z
      .string()
      .nullable()
      .describe('id of an API key, user or policy; external id of an end user; name of an operator; null for other types'),
    decisionReason: z.string().nullable(),
    decisionMetadata: jsonObject.nullable().describe('`metadata` of the decision'),
    decidedAt: timestamp.nullable(),
    consumedAt: timestamp.nullable(),
    expiresAt: timestamp,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Approval' });

export const webhookDelivery = z.object({
  id: uuid,
  eventType: z.enum(APPROVAL_EVENTS),
  callbackUrl: z.string(),
  attempt: z.int(),
  status: z.enum(['pending', 'success', 'failed', 'retrying']),
  httpStatus: z.int().nullable(),
  errorMessage: z
    .string()
    .meta({ examples: ['The receiver answered 503.'] })
    .nullable(),
  createdAt: timestamp,
  deliveredAt: timestamp.nullable(),
});

export const approvalDetail = approval.extend({ webhookDeliveries: z.array(webhookDelivery).optional() }).meta({ id: 'ApprovalDetail' });

export const receipt = z.object({ id: uuid, expiresAt: timestamp }).nullable();

export const signedReceipt = z
  .object({
    id: uuid,
    approvalId,
    expiresAt: timestamp,
    createdAt: timestamp,
    jws: z.string().describe('the receipt: a compact JWS, signed with a key of `/.well-known/jwks.json`'),
    claims: receiptClaims.describe('decoded claims for reading; only the JWS is proof'),
  })
  .meta({ id: 'Receipt' });

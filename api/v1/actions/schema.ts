import { z } from 'zod';
import { APPROVAL_STATUSES } from '../../../domain/approval.ts';
import { IDEMPOTENCY_KEY_MAX_LENGTH } from '../../../domain/limits.ts';
import { ACCESS_MODES } from '../../../domain/policies/policy.ts';
import { alias, endUserId, jsonObject, name, partialIds, text, timestamp, uuid } from '../../schemas.ts';
import { approvalId } from '../approvals/schema.ts';

export const actionRequest = z.strictObject({
  integrationName: name,
  actionName: name,
  workspaceId: uuid,
  input: jsonObject.default({}),
  workspaceIntegrationId: uuid.optional(),
  integrationAlias: alias.optional(),
  connectionExternalId: name.optional(),
  endUserId: endUserId.optional(),
  partialIds: partialIds.optional().describe('partials by id or name; []: no partials, not even default partials'),
  idempotencyKey: text.min(1).max(IDEMPOTENCY_KEY_MAX_LENGTH).optional(),
});

/** Headers of a call. */
export const actionHeaders = z.object({
  'X-Svc-Source': z
    .enum(['rest', 'sdk'])
    .default('rest')
    .catch('rest')
    .describe('The source of the call for policies. Values other than `sdk` count as `rest`'),
});

export const actionDone = z.object({ success: z.literal(true), output: z.unknown(), duration: z.number().describe('milliseconds') });

export const actionGated = z.object({
  success: z.literal(false),
  status: z.literal('approval_required'),
  approval: z.object({
    id: approvalId,
    policyId: uuid.nullable(),
    status: z.enum(APPROVAL_STATUSES),
    approvalAccessMode: z.enum(ACCESS_MODES),
    approvalUrl: z.string().nullable(),
    hostedApprovalUrl: z
      .string()
      .nullable()
      .describe(
        'a bearer link to the page of the approval; if the policy names people as approvers, this link only shows the request; null for the access mode dashboard_only',
      ),
    expiresAt: timestamp,
    retry: z.object({ idempotencyKey: z.string() }).describe('repeat the same call with this key after the decision'),
  }),
});

import { z } from 'zod';
import { ACCESS_MODES, APPROVAL_STATUSES } from '../../../domain/approval.ts';
import { IDEMPOTENCY_KEY_MAX_LENGTH } from '../../../domain/limits.ts';
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
  partialIds: partialIds.optional().describe('partials by id or name; [] = none, not even defaults'),
  idempotencyKey: text.min(1).max(IDEMPOTENCY_KEY_MAX_LENGTH).optional(),
});

/** Anything but `sdk` counts as `rest`: no caller can claim another source (decisions section 2, Actions). */
export const actionHeaders = z.object({
  'X-Svc-Source': z
    .enum(['rest', 'sdk'])
    .default('rest')
    .catch('rest')
    .describe('What policies see as the source of the call; anything but `sdk` is `rest`'),
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
    hostedApprovalUrl: z.string().nullable(),
    expiresAt: timestamp,
    retry: z.object({ idempotencyKey: z.string() }).describe('make the same call again with this key after the decision'),
  }),
});

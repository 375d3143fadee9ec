import { z } from 'zod';
import { ACTIVITY_TYPES } from '../../../domain/activity.ts';
import { NAME_MAX_LENGTH } from '../../../domain/limits.ts';
import { jsonObject, moment, page, text, timestamp, uuid } from '../../schemas.ts';
import { approvalId } from '../approvals/schema.ts';

export const activityId = z.int().min(1);

export const activityQuery = z.strictObject({
  workspaceId: uuid.optional(),
  type: z.enum(ACTIVITY_TYPES).optional(),
  approvalId: approvalId.optional(),
  policyId: uuid.optional(),
  codeRunId: text.max(NAME_MAX_LENGTH).optional(),
  from: moment().optional().describe('entries at this time or later'),
  to: moment().optional().describe('entries before this time'),
  limit: page.shape.limit,
  cursor: z.string().max(500).optional().describe('nextCursor of the previous page'),
});

export const activity = z
  .object({
    id: activityId,
    orgId: uuid,
    workspaceId: uuid.nullable().describe('null: the entry concerns the whole organization'),
    type: z.enum(ACTIVITY_TYPES),
    actorType: z.string(),
    actorId: z.string().nullable(),
    approvalId: approvalId.nullable(),
    policyId: uuid.nullable(),
    policyVersion: z.int().nullable(),
    callId: uuid.nullable(),
    codeRunId: z.string().nullable(),
    deliveryId: uuid.nullable(),
    integrationName: z.string().nullable(),
    actionName: z.string().nullable(),
    details: jsonObject,
    createdAt: timestamp.describe('ISO 8601, UTC, to the microsecond'),
    position: z.int().nullable().describe('position in the hash chain of the organization; null in the first seconds'),
    hash: z.string().nullable().describe('SHA-256 of this entry and the previous hash; null in the first seconds'),
  })
  .meta({ id: 'Activity' });

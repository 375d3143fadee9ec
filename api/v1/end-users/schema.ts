import { z } from 'zod';
import { CONNECTION_STATUSES, CONNECTION_TYPES } from '../../../domain/connection.ts';
import { CONNECT_TOKEN_SECONDS, EMAIL_MAX_LENGTH } from '../../../domain/limits.ts';
import { endUserId, jsonObject, keptJson, name, page, timestamp, uuid } from '../../schemas.ts';

const email = z.email().max(EMAIL_MAX_LENGTH);

export const newEndUser = z.strictObject({
  workspaceId: uuid,
  externalId: endUserId,
  displayName: name.optional(),
  email: email.optional(),
  metadata: keptJson.default({}),
});

/** Absent fields stay unchanged. `metadata` is replaced as a whole. */
export const endUserChanges = z
  .strictObject({ displayName: name.nullable(), email: email.nullable(), metadata: keptJson })
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, 'provide at least one field to change');

export const endUsersQuery = page.extend({ workspaceId: uuid });

const connectTarget = {
  integrationName: name.optional().describe('the only integration that may be connected'),
  workspaceIntegrationId: uuid.optional().describe('the only configured instance that may be connected'),
  expiresIn: z
    .int()
    .min(CONNECT_TOKEN_SECONDS.min)
    .max(CONNECT_TOKEN_SECONDS.max)
    .default(CONNECT_TOKEN_SECONDS.default)
    .describe('seconds'),
};

export const newConnectToken = z.strictObject(connectTarget).prefault({});
export const newInvitation = z.strictObject({ email, ...connectTarget });

export const endUser = z
  .object({
    id: uuid,
    workspaceId: uuid,
    externalId: z.string(),
    displayName: z.string().nullable(),
    email: z.string().nullable(),
    metadata: jsonObject,
    type: z.literal('external'),
    connectionCount: z.int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'EndUser' });

export const connectionSummary = z
  .object({
    id: uuid,
    externalId: z.string(),
    displayName: z.string(),
    integrationName: z.string(),
    type: z.enum(CONNECTION_TYPES),
    status: z.enum(CONNECTION_STATUSES),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'ConnectionSummary' });

export const connectToken = z.object({
  connectUrl: z.string().describe('page where the end user connects accounts; contains the token'),
  token: z.string().describe('eut_…; only in this answer'),
  expiresAt: timestamp,
});

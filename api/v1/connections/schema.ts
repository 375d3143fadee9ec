import { z } from 'zod';
import { CONNECTION_SCOPES, CONNECTION_STATUSES, CONNECTION_TYPES } from '../../../domain/connection.ts';
import { DEFAULT_SCOPE_WORDS, ownerIssues } from '../../../domain/connection-scope.ts';
import { alias, endUserId, keptJson, name, page, text, timestamp, uuid } from '../../schemas.ts';

const SECRET_MAX_LENGTH = 64 * 1024;
const EXPIRES_IN_MAX_SECONDS = 100 * 365 * 86_400;

const secret = text.min(1).max(SECRET_MAX_LENGTH);

const common = {
  integrationName: name,
  externalId: name.describe('Your own identifier; one of an integration in each scope'),
  displayName: name.optional().describe('Default: externalId'),
  scope: z.enum(CONNECTION_SCOPES).optional().describe(DEFAULT_SCOPE_WORDS),
  workspaceId: uuid
    .optional()
    .describe('Required for WORKSPACE and USER. An ORGANIZATION connection belongs to no workspace, whatever is said here'),
  endUserId: endUserId.optional().describe('External id; an end user never seen before is created'),
  authMethodKey: name.optional().describe('May be left out where the type decides it'),
  workspaceIntegrationId: uuid.optional().describe('The configured instance that it is for; absent: any'),
};

const oauth2 = {
  accessToken: secret,
  refreshToken: secret.optional(),
  tokenType: name.optional(),
  expiresIn: z.int().min(1).max(EXPIRES_IN_MAX_SECONDS).optional().describe('Seconds'),
  scope_oauth: text.max(SECRET_MAX_LENGTH).optional().describe('Scopes granted by the third party'),
  data: keptJson.optional().describe('What else came with the tokens'),
};

/** Flat, told apart by `type` (decisions section 2, Connections). */
export const newConnection = z
  .discriminatedUnion('type', [
    z.strictObject({ ...common, type: z.literal('SECRET_TEXT'), secretText: secret }),
    z.strictObject({ ...common, type: z.literal('BASIC_AUTH'), username: secret, password: text.max(SECRET_MAX_LENGTH) }),
    z.strictObject({ ...common, type: z.literal('CUSTOM_AUTH'), props: keptJson }),
    z.strictObject({ ...common, type: z.literal('OAUTH2'), ...oauth2 }),
    z.strictObject({ ...common, type: z.literal('PLATFORM_OAUTH2'), ...oauth2 }),
  ])
  .superRefine((owner, context) => {
    for (const { path, message } of ownerIssues(owner)) context.addIssue({ code: 'custom', path: [path], message });
  });
export type NewConnection = z.output<typeof newConnection>;

export const connectionQuery = page.extend({
  id: z.string().optional().describe('One connection; the other parameters count for nothing then'),
  workspaceId: uuid.optional().describe('Those that calls in this workspace may use: its own and the organization-wide ones'),
  endUserId: endUserId.optional().describe('External id'),
  integrationName: name.optional(),
});

/** Which connection a call would act with. */
export const resolution = z
  .strictObject({
    integrationName: name,
    externalId: name.optional().describe('Of the connection; absent: the one that the strategy chooses'),
    workspaceId: uuid.optional().describe('Absent: organization-wide connections alone'),
    endUserId: endUserId.optional().describe('External id'),
    workspaceIntegrationId: uuid.optional(),
    integrationAlias: alias.optional(),
  })
  .superRefine(({ workspaceId, ...rest }, context) => {
    const needing = (['endUserId', 'workspaceIntegrationId', 'integrationAlias'] as const).filter((field) => rest[field] !== undefined);
    if (workspaceId === undefined && needing.length > 0)
      context.addIssue({ code: 'custom', path: ['workspaceId'], message: `is required with ${needing.join(', ')}` });
  });

export const connection = z
  .object({
    id: uuid,
    externalId: z.string(),
    displayName: z.string(),
    integrationName: z.string(),
    authMethodKey: z.string(),
    type: z.enum(CONNECTION_TYPES),
    status: z
      .enum(CONNECTION_STATUSES)
      .describe(
        'EXPIRING: access ends by itself, in the last tenth of its life and at most seven days ahead; ERROR: needs reconnecting, because access ended or was refused',
      ),
    scope: z.enum(CONNECTION_SCOPES),
    workspaceId: uuid.nullable(),
    endUserId: z.string().nullable().describe('External id'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Connection' });

export const connectionAnswer = z.object({ connection });
export const connectionPage = z.object({ connections: z.array(connection), total: z.int() });

import { z } from 'zod';
import { CONNECTION_SCOPES, CONNECTION_STATUSES, CONNECTION_TYPES } from '../../../domain/connection.ts';
import { DEFAULT_SCOPE_WORDS, ownerIssues } from '../../../domain/connection-scope.ts';
import { alias, endUserId, keptJson, name, page, text, timestamp, uuid } from '../../schemas.ts';

const SECRET_MAX_LENGTH = 64 * 1024;
const EXPIRES_IN_MAX_SECONDS = 100 * 365 * 86_400;

const secret = text.min(1).max(SECRET_MAX_LENGTH);

const common = {
  integrationName: name,
  externalId: name.describe('Your identifier, unique per integration and scope'),
  displayName: name.optional().describe('Default: externalId'),
  scope: z.enum(CONNECTION_SCOPES).optional().describe(DEFAULT_SCOPE_WORDS),
  workspaceId: uuid.optional().describe('Required for WORKSPACE and USER, and with workspaceIntegrationId'),
  endUserId: endUserId.optional().describe('External id. An unknown end user is created'),
  authMethodKey: name.optional().describe('Optional if `type` determines the method'),
  workspaceIntegrationId: uuid.optional().describe('The configured instance that the account is for; absent: any instance'),
};

const oauth2 = {
  accessToken: secret,
  refreshToken: secret.optional(),
  tokenType: name.optional(),
  expiresIn: z.int().min(1).max(EXPIRES_IN_MAX_SECONDS).optional().describe('Seconds'),
  scope_oauth: text.max(SECRET_MAX_LENGTH).optional().describe('Scopes granted by the third party'),
  data: keptJson.optional().describe('Other data of the token response'),
};

/** A flat body, discriminated by `type` (contract decisions 2, Connections). */
export const newConnection = z
  .discriminatedUnion('type', [
    z.strictObject({ ...common, type: z.literal('SECRET_TEXT'), secretText: secret }),
    z.strictObject({
      ...common,
      type: z.literal('BASIC_AUTH'),
      username: secret,
      password: text.max(SECRET_MAX_LENGTH),
      props: keptJson.optional(),
    }),
    z.strictObject({ ...common, type: z.literal('CUSTOM_AUTH'), props: keptJson }),
    z.strictObject({ ...common, type: z.literal('OAUTH2'), ...oauth2 }),
    z.strictObject({ ...common, type: z.literal('PLATFORM_OAUTH2'), ...oauth2 }),
  ])
  .superRefine((owner, context) => {
    for (const { path, message } of ownerIssues(owner)) context.addIssue({ code: 'custom', path: [path], message });
  });
export type NewConnection = z.output<typeof newConnection>;

export const connectionQuery = page.extend({
  id: z.string().optional().describe('Returns this connection and ignores the other parameters'),
  workspaceId: uuid.optional().describe('Connections that this workspace may use: its own connections and organization-wide connections'),
  endUserId: endUserId.optional().describe('External id'),
  integrationName: name.optional(),
});

/** Selects the connection that a call would use. */
export const resolution = z
  .strictObject({
    integrationName: name,
    externalId: name.optional().describe('Names the connection; absent: the connection strategy selects one'),
    workspaceId: uuid.optional().describe('Absent: only organization-wide connections'),
    endUserId: endUserId.optional().describe('External id'),
    workspaceIntegrationId: uuid.optional(),
    integrationAlias: alias.optional(),
  })
  .superRefine(({ workspaceId, ...rest }, context) => {
    const needing = (['endUserId', 'workspaceIntegrationId', 'integrationAlias'] as const).filter((field) => rest[field] !== undefined);
    if (workspaceId === undefined && needing.length > 0)
      context.addIssue({ code: 'custom', path: ['workspaceId'], message: `is required with ${needing.join(', ')}` });
  });

const connection = z
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
        'EXPIRING: access cannot be renewed. At most a tenth of its lifetime is left, and at most seven days. ERROR: access ended or was refused; reconnect the account',
      ),
    statusReason: z
      .string()
      .nullable()
      .describe('Why access was refused or cannot be refreshed. Usually, the account must then be connected again')
      .meta({ examples: ['slack.com gave no access: invalid_grant.'] }),
    scope: z.enum(CONNECTION_SCOPES),
    workspaceId: uuid.nullable(),
    endUserId: z.string().nullable().describe('External id'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Connection' });

export const connectionAnswer = z.object({ connection });
export const connectionPage = z.object({ connections: z.array(connection), total: z.int() });

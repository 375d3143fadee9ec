import { z } from 'zod';
import { CONNECT_STATUSES } from '../../../domain/connect-session.ts';
import { CONNECTION_SCOPES } from '../../../domain/connection.ts';
import { DEFAULT_SCOPE_WORDS, ownerIssues } from '../../../domain/connection-scope.ts';
import { endUserId, name, text, timestamp, uuid } from '../../schemas.ts';

const REDIRECT_MAX_LENGTH = 2000;

const redirectUri = text
  .max(REDIRECT_MAX_LENGTH)
  .refine(isRedirectTarget, 'must be an absolute https URL without credentials or fragment; http is for loopback hosts alone');

export const newConnectSession = z
  .strictObject({
    integrationName: name,
    connectionName: name.describe('Display name of the connection'),
    externalId: name.describe('External id of the connection. Replaces an account with the same id and scope'),
    workspaceId: uuid,
    workspaceIntegrationId: uuid.optional(),
    authMethodKey: name.optional().describe('Offers only this connection method'),
    endUserId: endUserId.optional(),
    scope: z.enum(CONNECTION_SCOPES).optional().describe(DEFAULT_SCOPE_WORDS),
    successRedirectUri: redirectUri.optional().describe('Receives status=success and connectionId'),
    errorRedirectUri: redirectUri.optional().describe('Receives status=error and error'),
  })
  .superRefine((owner, context) => {
    for (const { path, message } of ownerIssues(owner)) context.addIssue({ code: 'custom', path: [path], message });
  });

export const connectSessionToken = z
  .object({
    token: z.string(),
    connectUrl: z.string(),
    expiresAt: timestamp.describe('One hour after the creation of the link'),
    sessionId: uuid,
  })
  .meta({ id: 'ConnectSessionToken' });

export const connectPoll = z.strictObject({
  token: z
    .string()
    .max(200)
    .meta({ examples: ['cst_…'] }),
});

export const connectOutcome = z
  .object({
    status: z.enum(CONNECT_STATUSES).describe('COMPLETED and FAILED are final. An expired session is FAILED'),
    connectionId: uuid.nullable(),
    integrationName: z.string(),
    workspaceIntegrationId: uuid.nullable(),
    authMethodKey: z.string().nullable().describe('The method of the connected account, or else the requested method'),
    externalId: z.string(),
    error: z.string().nullable(),
  })
  .meta({ id: 'ConnectOutcome' });

export const connectSession = connectOutcome
  .extend({ id: uuid, createdAt: timestamp, expiresAt: timestamp })
  .meta({ id: 'ConnectSession' });

function isRedirectTarget(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  return (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback)) && !url.username && !url.password && !url.hash;
}

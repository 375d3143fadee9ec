import { z } from 'zod';
import { APPROVAL_WAIT_SECONDS, DESCRIPTION_MAX_LENGTH, NAME_MAX_LENGTH } from '../../../../domain/limits.ts';
import { AUTH_MODES, END_USER_ACCESS, SERVER_MODES } from '../../../../domain/mcp-server.ts';
import { endUserId, name, page, text, timestamp, uuid } from '../../../schemas.ts';

const settings = z.strictObject({
  codeMode: z
    .strictObject({
      approvalWaitSeconds: z.int().min(APPROVAL_WAIT_SECONDS.min).max(APPROVAL_WAIT_SECONDS.max).default(APPROVAL_WAIT_SECONDS.default),
    })
    .optional(),
});

const description = text.max(DESCRIPTION_MAX_LENGTH);

const authMode = z
  .enum(AUTH_MODES)
  .describe(
    'How agents get in. `oauth`: with OAuth access tokens of end users (`mcpo_…`, from POST …/oauth-tokens), no others. `bearer`: with bearer tokens (`mcp_…`): the static one of the server, which is shared and names no end user, and those of end users (from POST …/access-tokens). `oauth_and_bearer`: with either',
  );

const endUserAccess = z
  .enum(END_USER_ACCESS)
  .describe(
    'Who may sign in with OAuth. `restricted`: end users that the workspace has already. `open`: anybody who signs in; the end user is created where there is none',
  );

export const newMcpServer = z.strictObject({
  name,
  description: description.optional(),
  workspaceId: uuid,
  mode: z.enum(SERVER_MODES).default('TOOLS'),
  settings: settings.default({}),
  authMode: authMode.default('oauth'),
  endUserAccess: endUserAccess.default('restricted'),
  createdBy: text.max(NAME_MAX_LENGTH).optional(),
  endUserId: endUserId.optional(),
});

/** Absent: leave; null: clear. */
export const mcpServerChanges = z
  .strictObject({
    name,
    description: description.nullable(),
    mode: z.enum(SERVER_MODES),
    settings,
    authMode,
    endUserAccess,
    endUserId: endUserId.nullable(),
  })
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, 'provide at least one field to change');

export const mcpServersQuery = page.extend({
  workspaceId: uuid.optional(),
  includeSuspended: z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] }).default(false),
});

export const mcpServer = z
  .object({
    id: uuid,
    orgId: uuid,
    workspaceId: uuid,
    name: z.string(),
    description: z.string().nullable(),
    mode: z.enum(SERVER_MODES),
    settings: z.object({ codeMode: z.object({ approvalWaitSeconds: z.int() }).optional() }),
    authMode,
    endUserAccess,
    auth: z.object({
      oauthEnabled: z.boolean(),
      bearerEnabled: z.boolean(),
      staticBearerEnabled: z.boolean(),
      endUserBearerTokensEnabled: z.boolean(),
      accessTokensEnabled: z.boolean(),
    }),
    endUserId: z.string().nullable(),
    createdBy: z.string().nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
    mcpEndpoint: z.string(),
  })
  .meta({ id: 'McpServer' });

export const bearerToken = z.string().describe('shown this once');

import { z } from 'zod';
import { APPROVAL_WAIT_SECONDS, DESCRIPTION_MAX_LENGTH, NAME_MAX_LENGTH } from '../../../../domain/limits.ts';
import { AUTH_MODES, END_USER_ACCESS, SERVER_MODES } from '../../../../domain/mcp-server.ts';
import { endUserId, name, page, queryFlag, text, timestamp, uuid } from '../../../schemas.ts';

const settings = z.strictObject({
  codeMode: z
    .strictObject({
      approvalWaitSeconds: z.int().min(APPROVAL_WAIT_SECONDS.min).max(APPROVAL_WAIT_SECONDS.max).default(APPROVAL_WAIT_SECONDS.default),
    })
    .optional(),
  approvalElicitation: z
    .boolean()
    .optional()
    .describe('Whether the server asks MCP clients that declare URL elicitation to open the approval page of a gated call. Default false'),
});

const description = text.max(DESCRIPTION_MAX_LENGTH);

const authMode = z
  .enum(AUTH_MODES)
  .describe(
    'How agents authenticate. `oauth`: only with OAuth access tokens of end users (`mcpo_…`, from a sign-in or from POST …/oauth-tokens). `bearer`: only with bearer tokens (`mcp_…`): tokens of end users (from POST …/access-tokens), or the static token of the server. All agents of the server share the static token, which acts for the end user of the server if there is one. `oauth_and_bearer`: with either kind',
  );

const endUserAccess = z
  .enum(END_USER_ACCESS)
  .describe(
    'Who may sign in with OAuth. `restricted`: existing end users of the workspace. `open`: everyone; an unknown end user is created. To a server with an `endUserId`, only that end user may sign in',
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

/** Absent fields stay unchanged. `settings` is replaced as a whole. */
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
  includeSuspended: queryFlag,
});

export const mcpServer = z
  .object({
    id: uuid,
    orgId: uuid,
    workspaceId: uuid,
    name: z.string(),
    description: z.string().nullable(),
    mode: z.enum(SERVER_MODES),
    settings: z.object({ codeMode: z.object({ approvalWaitSeconds: z.int() }).optional(), approvalElicitation: z.boolean().optional() }),
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

export const bearerToken = z.string().describe('shown only once');

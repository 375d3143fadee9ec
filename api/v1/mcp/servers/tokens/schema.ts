import { z } from 'zod';
import { MCP_TOKEN_SECONDS } from '../../../../../domain/limits.ts';
import { MCP_SCOPES } from '../../../../../domain/mcp-server.ts';
import { endUserId, text, timestamp, uuid } from '../../../../schemas.ts';

/** The body for issuing a bearer token or an OAuth token (specification 4.2). */
export const newMcpToken = z.strictObject({
  endUserId: endUserId.describe('external id or id of an end user of the workspace'),
  scopes: z
    .array(text)
    .min(1)
    .max(10)
    .optional()
    .describe(`values: ${MCP_SCOPES.join(', ')}; default: all scopes of the server's mode`),
  expiresIn: z.number().min(MCP_TOKEN_SECONDS.min).max(MCP_TOKEN_SECONDS.max).default(MCP_TOKEN_SECONDS.default).describe('seconds'),
});

/** Record of an MCP OAuth token (specification 2.4). */
export const oauthToken = z
  .object({
    id: uuid,
    tokenPrefix: z.string(),
    scopes: z.array(z.enum(MCP_SCOPES)),
    endUserId: z.string(),
    expiresAt: timestamp,
    createdAt: timestamp,
  })
  .meta({ id: 'McpOAuthToken' });

/** Record of an end-user bearer token. */
export const endUserToken = oauthToken
  .extend({ authMethod: z.literal('bearer'), tokenType: z.literal('mcp_bearer') })
  .meta({ id: 'McpEndUserToken' });

/** A token in a list. */
export const listedToken = oauthToken
  .extend({
    authMethod: z.literal('bearer').optional(),
    tokenType: z.literal('mcp_bearer').optional(),
    clientName: z
      .string()
      .nullable()
      .describe('name that the MCP client gave itself; null if there is none, as for a token that was issued by API')
      .meta({ examples: ['Desk agent'] }),
    lastUsedAt: timestamp.nullable().describe('exact to the minute'),
  })
  .meta({ id: 'ListedMcpToken' });

export const shownOnce = z.string().describe('shown only once');
export const oauthShownOnce = shownOnce.meta({ examples: ['mcpo_…'] });

import { OAUTH_SECONDS, resourceOf, serverIdOf } from '../../domain/oauth/oauth.ts';
import { displayPrefix, isWellFormed } from '../../infra/tokens.ts';
import { findLinkedEndUser } from '../../store/identities.ts';
import { findServerById } from '../../store/mcp-servers.ts';
import { deleteMcpTokenByHash, findOAuthTokenByHash, insertMcpToken } from '../../store/mcp-tokens.ts';
import { deleteRecordsOfGrant } from '../../store/oauth-records.ts';
import type { Gateway } from '../gateway.ts';
import { assertGrantLives, type OAuthAdapter, type OAuthPayload } from './oauth-adapter.ts';

/**
 * Stores access tokens of the authorization server as MCP tokens (specification 2.4), so that one
 * look-up finds all kinds of tokens.
 */
export function openOAuthAccessTokens({ db, tokens, config }: Gateway): OAuthAdapter {
  return {
    upsert: async (token, payload, expiresInSeconds = OAUTH_SECONDS.accessToken) => {
      const { clientId, grantId, accountId: identityId, aud, scope } = payload as Record<string, string>;
      const { clientName = null } = (payload.extra ?? {}) as { clientName?: string | null };
      const serverId = serverIdOf(config.baseUrl, aud!);
      const server = serverId === undefined ? undefined : await findServerById(db, serverId);
      const endUser = server && (await findLinkedEndUser(db, identityId!, server.workspaceId));
      if (!server || !endUser) throw new Error('An access token was issued for a server or an end user that is gone.');
      await insertMcpToken(db, {
        ...{ orgId: server.orgId, workspaceId: server.workspaceId, serverId: server.id, endUserId: endUser.endUserId },
        ...{ kind: 'oauth', tokenHash: tokens.hash(token), tokenPrefix: displayPrefix(token, 'mcpo_') },
        ...{ scopes: scope!.split(' '), expiresAt: new Date(Date.now() + expiresInSeconds * 1000) },
        ...{ clientId: clientId!, clientName, grantId: grantId!, identityId: identityId! },
      });
      await assertGrantLives(db, grantId!);
    },
    find: async (token) =>
      isWellFormed(token, 'mcpo_') ? toPayload(token, await findOAuthTokenByHash(db, tokens.hash(token))) : undefined,
    destroy: (token) => deleteMcpTokenByHash(db, tokens.hash(token)),
    revokeByGrantId: (grantId) => deleteRecordsOfGrant(db, grantId),
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    consume: async () => {},
  };

  function toPayload(token: string, found: Awaited<ReturnType<typeof findOAuthTokenByHash>>): OAuthPayload | undefined {
    if (!found) return undefined;
    const { createdAt, expiresAt, clientId, grantId, identityId, serverId, scopes } = found;
    return {
      ...{ kind: 'AccessToken', jti: token, clientId, grantId, accountId: identityId, gty: 'authorization_code' },
      ...{ iat: seconds(createdAt), exp: seconds(expiresAt), aud: resourceOf(config.baseUrl, serverId), scope: scopes.join(' ') },
    };
  }
}

function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}

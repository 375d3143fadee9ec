import type { EndUserToken } from '../../../../../commands/access/issue-end-user-token.ts';
import type { ListedMcpToken } from '../../../../../store/mcp-tokens.ts';

export function presentOAuthToken({ record, endUserExternalId }: EndUserToken) {
  return {
    id: record.id,
    tokenPrefix: record.tokenPrefix,
    scopes: record.scopes,
    endUserId: endUserExternalId,
    expiresAt: record.expiresAt.toISOString(),
    createdAt: record.createdAt.toISOString(),
  };
}

export function presentEndUserToken(token: EndUserToken) {
  return { ...presentOAuthToken(token), authMethod: 'bearer' as const, tokenType: 'mcp_bearer' as const };
}

export function presentListedToken(token: ListedMcpToken) {
  return {
    id: token.id,
    tokenPrefix: token.tokenPrefix,
    scopes: token.scopes,
    endUserId: token.endUserExternalId,
    ...(token.kind === 'end_user' && { authMethod: 'bearer' as const, tokenType: 'mcp_bearer' as const }),
    clientName: token.clientName,
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
    expiresAt: token.expiresAt!.toISOString(),
    createdAt: token.createdAt.toISOString(),
  };
}

import type { EndUserToken } from '../../../../../commands/issue-end-user-token.ts';

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

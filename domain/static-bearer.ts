import type { McpServer } from './mcp-server.ts';
import type { ConnectionStrategy } from './policy.ts';

/** True when every caller must bring their own account: strategy per_user on an integration that needs one (decisions section 4, Strict per-user). */
export function isStrictPerUser(strategy: ConnectionStrategy, needsAuth: boolean): boolean {
  return strategy === 'per_user' && needsAuth;
}

/** True when the server's static token is for everybody: it names no end user, so it can't serve strict per-user integrations. */
export function sharesStaticToken(server: Pick<McpServer, 'authMode' | 'endUserId'>): boolean {
  return server.authMode !== 'oauth' && server.endUserId === null;
}

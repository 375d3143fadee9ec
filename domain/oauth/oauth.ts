import type { McpServer } from '../mcp-server.ts';

/** Lifetimes of codes, tokens and grants, in seconds (contract decisions 8). */
export const OAUTH_SECONDS = {
  accessToken: 900,
  refreshToken: 30 * 24 * 3600,
  authorizationCode: 60,
  deviceCode: 600,
  interaction: 3600,
  /** Consent is required again after this time. */
  grant: 365 * 24 * 3600,
  /** A registered client that gets no grant within this time is deleted. */
  unusedClient: 90 * 24 * 3600,
} as const;

/** The life of a key, in seconds. */
export const OAUTH_KEY_SECONDS = {
  /** How long a key signs. */
  signs: 90 * 24 * 3600,
  /** How long a key is published before it signs, so that all processes know it. */
  ahead: 3600,
  /** How long a key is accepted after the next key begins to sign. */
  kept: 24 * 3600,
} as const;

/** Maximum number of requests from one source address within `seconds`. */
export const SOURCE_LIMITS = {
  'client-registration': { requests: 200, seconds: 600 },
  /** Requests for which the service fetches a client's metadata document. */
  'client-metadata': { requests: 200, seconds: 600 },
  /** Too low to guess a code (RFC 8628, 5.1). */
  'device-code': { requests: 100, seconds: 600 },
  'openid-sign-in': { requests: 1000, seconds: 3600 },
  /** Failed sign-ins to the dashboard, by source address. */
  'member-source': { requests: 20, seconds: 900 },
  /** Failed sign-ins to the dashboard, by e-mail address. */
  'member-email': { requests: 5, seconds: 900 },
} as const;

const SERVER_PATH = /\/mcp\/srv_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The resource indicator of an MCP server: the address of its endpoint (RFC 8707). */
export function resourceOf(baseUrl: string, serverId: McpServer['id']): string {
  return `${baseUrl}/mcp/srv_${serverId}`;
}

/** Returns the id of the MCP server that a resource indicator names, or undefined. */
export function serverIdOf(baseUrl: string, resource: string): string | undefined {
  const id = SERVER_PATH.exec(resource)?.[1];
  return id !== undefined && resource === resourceOf(baseUrl, id) ? id : undefined;
}

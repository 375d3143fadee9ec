/**
 * Events of changes to an organization's configuration (docs/audit.md). Their details contain no
 * secrets.
 */
import type { NewActivity } from '../activity.ts';
import type { Actor } from '../approval.ts';
import type { CustomChange, CustomIntegration, DetectedBy } from '../custom-integrations/custom-integration.ts';
import type { McpServer } from '../mcp-server.ts';
import type { OauthApp } from '../oauth-app.ts';

/** Returns the event of an MCP server. `changed`: the fields that an update changed. */
export function serverActivity(
  type: `mcp_server.${'created' | 'updated' | 'suspended' | 'resumed' | 'deleted'}`,
  server: McpServer,
  actor: Actor,
  changed?: readonly string[],
): NewActivity {
  const { orgId, workspaceId, id: serverId, name, mode, authMode, endUserAccess, endUserExternalId: endUserId } = server;
  const details = { serverId, name, mode, authMode, endUserAccess, endUserId, ...(changed && { changed }) };
  return { orgId, workspaceId, type, actor, details };
}

/** `endUserId` is the external id. */
interface ShownToken {
  kind: 'static' | 'end_user' | 'oauth';
  tokenPrefix: string;
  endUserId: string | null;
  scopes: readonly string[];
  expiresAt: Date | null;
}

/** Returns the event of a token that was issued or revoked. */
export function tokenActivity(
  type: `mcp_token.${'issued' | 'revoked'}`,
  { orgId, workspaceId, id: serverId, name }: Pick<McpServer, 'orgId' | 'workspaceId' | 'id' | 'name'>,
  { kind, tokenPrefix, endUserId, scopes, expiresAt }: ShownToken,
  actor: Actor,
): NewActivity {
  const token = { kind, tokenPrefix, endUserId, scopes, expiresAt: expiresAt?.toISOString() ?? null };
  return { orgId, workspaceId, type, actor, details: { serverId, name, ...token } };
}

/** Returns the event of an OAuth app that was created or deleted. */
export function oauthAppActivity(type: `oauth_app.${'created' | 'deleted'}`, app: OauthApp, actor: Actor): NewActivity {
  const { orgId, integrationName, id: oauthAppId, displayName, clientId } = app;
  return { orgId, workspaceId: null, type, actor, integrationName, details: { oauthAppId, displayName, clientId } };
}

/**
 * Returns the event of a custom integration. It shows only the host of the source address, because
 * the rest can contain a secret.
 */
export function integrationActivity(
  type: `integration.${'imported' | 'updated' | 'deleted'}`,
  own: Pick<CustomIntegration, 'orgId' | 'id' | 'name' | 'kind' | 'version' | 'settings'>,
  actor: Actor,
  more: Record<string, unknown> = {},
): NewActivity {
  const { orgId, id: integrationId, name: integrationName, kind, version, settings } = own;
  const host = settings.url === null ? null : (URL.parse(settings.url)?.host ?? null);
  return { orgId, workspaceId: null, type, actor, integrationName, details: { integrationId, kind, version, host, ...more } };
}

/**
 * Returns the event of a decision about a change. `version` is the integration's version after the
 * decision.
 */
export function integrationChangeActivity(
  { orgId, id: integrationId, name: integrationName, version }: Pick<CustomIntegration, 'orgId' | 'id' | 'name' | 'version'>,
  { id: changeId, status, kind, actionName, reason, contentDigest }: CustomChange,
  actor: Actor,
): NewActivity {
  const details = { integrationId, version, changeId, kind, reason, contentDigest };
  const type = status === 'accepted' ? 'integration_change.accepted' : 'integration_change.rejected';
  return { orgId, workspaceId: null, type, actor, integrationName, actionName, details };
}

/** Returns the event of a refresh that accepted all changes that it found. */
export function acceptedRefreshActivity(
  { orgId, id: integrationId, name: integrationName, version }: Pick<CustomIntegration, 'orgId' | 'id' | 'name' | 'version'>,
  changeCount: number,
  actor: Actor,
): NewActivity {
  const details = { integrationId, version, changeCount };
  return { orgId, workspaceId: null, type: 'integration_change.accepted', actor, integrationName, details };
}

/** Returns the event of a refresh that found changes. */
export function foundChangesActivity(
  { orgId, id: integrationId, name: integrationName, version }: Pick<CustomIntegration, 'orgId' | 'id' | 'name' | 'version'>,
  found: { changeCount: number; detectedBy: DetectedBy },
  actor: Actor,
): NewActivity {
  const details = { integrationId, version, ...found };
  return { orgId, workspaceId: null, type: 'integration_change.found', actor, integrationName, details };
}

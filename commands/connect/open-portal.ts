import type { Actor } from '../../domain/approval.ts';
import type { Connection } from '../../domain/connection.ts';
import type { WorkspaceIntegration } from '../../domain/workspace-integration.ts';
import { isWellFormed } from '../../infra/tokens.ts';
import type { Catalog, CatalogIntegration } from '../../integrations/catalog.ts';
import { type ConnectToken, findConnectTokenByHash } from '../../store/connect-tokens.ts';
import { findConnection, pageConnections } from '../../store/connections.ts';
import { listOauthAppIntegrations } from '../../store/oauth-apps.ts';
import { findOwnConnection } from '../../store/usable-connections.ts';
import { listWorkspaceIntegrations } from '../../store/workspace-integrations.ts';
import { listWaiting, type WaitingApprovals } from '../approvals/list-waiting.ts';
import { type Offer, offerMethods } from '../connections/offer-methods.ts';
import type { Gateway } from '../gateway.ts';

/**
 * One row of the portal: an instance (a workspace integration), an integration to connect, or
 * another account of the end user.
 */
export interface PortalEntry {
  /** Identifies the row in forms. */
  key: string;
  integration: Pick<CatalogIntegration, 'name' | 'displayName' | 'description' | 'auth'>;
  instance: WorkspaceIntegration | null;
  /** The end user's account that the row shows. Undefined if none is connected. */
  connection: Connection | undefined;
  offers: Offer[];
}

export interface Portal {
  token: ConnectToken;
  entries: PortalEntry[];
  waiting: WaitingApprovals;
}

/** Opens the portal of a connect token (specification 4.3, 5.8); undefined for an invalid token. */
export async function openPortal(gateway: Gateway, plainToken: string): Promise<Portal | undefined> {
  const token = await findPortalToken(gateway, plainToken);
  if (!token) return undefined;
  const [instances, apps, waiting] = await Promise.all([
    listWorkspaceIntegrations(gateway.db, token.orgId, token.workspaceId),
    listOauthAppIntegrations(gateway.db, token.orgId),
    token.mayReview ? listWaiting(gateway, token.endUser) : NOTHING_WAITS,
  ]);
  const names = instances.map(({ integrationName }) => integrationName);
  const catalog = await gateway.catalog.of(token.orgId, [...names, token.integrationName ?? []].flat());
  const entries = await Promise.all(
    choicesOf(catalog, token, instances).map(async ({ integration, instance }) => ({
      key: instance?.id ?? integration.name,
      integration,
      instance,
      connection: await findOwnConnection(gateway.db, contextOf(token, integration.name, instance)),
      offers: offerMethods(integration, apps, await inheritedMethod(gateway, token, instance)),
    })),
  );
  return { token, entries: [...entries, ...(await otherAccounts(gateway, token, { entries, apps }))], waiting };
}

const NOTHING_WAITS: WaitingApprovals = { items: [], hasMore: false };

const MAX_OTHER_ACCOUNTS = 100;

async function otherAccounts(
  gateway: Gateway,
  { orgId, workspaceId, endUser, integrationName, workspaceIntegrationId }: ConnectToken,
  { entries, apps }: { entries: readonly PortalEntry[]; apps: readonly string[] },
): Promise<PortalEntry[]> {
  if (workspaceIntegrationId !== null) return [];
  const filter = {
    orgId,
    workspaceIds: [workspaceId],
    endUserExternalId: endUser.externalId,
    ...(integrationName !== null && { integrationName }),
  };
  const { items } = await pageConnections(gateway.db, filter, { limit: MAX_OTHER_ACCOUNTS, offset: 0 });
  const others = items.filter(({ id }) => !entries.some(({ connection }) => connection?.id === id));
  const catalog = await gateway.catalog.of(
    orgId,
    others.map((connection) => connection.integrationName),
  );
  return others.map((connection) => {
    const integration = catalog.find(connection.integrationName) ?? removedIntegration(connection.integrationName);
    return { key: connection.id, integration, instance: null, connection, offers: offerMethods(integration, apps, null) };
  });
}

/** Accounts of an integration that left the catalogue can still be disconnected. */
function removedIntegration(name: string): PortalEntry['integration'] {
  return { name, displayName: name, description: '', auth: null };
}

/** Finds a portal token; undefined if the token is unknown or expired. */
export async function findPortalToken(gateway: Gateway, plainToken: string): Promise<ConnectToken | undefined> {
  if (!isWellFormed(plainToken, 'eut_')) return undefined;
  return findConnectTokenByHash(gateway.db, gateway.tokens.hash(plainToken));
}

/** The end user of a portal as an actor of the activity log. */
export function portalUser({ endUser }: Pick<ConnectToken, 'endUser'>): Actor {
  return { type: 'end_user', id: endUser.externalId };
}

function contextOf(token: ConnectToken, integrationName: string, instance: WorkspaceIntegration | null) {
  const { orgId, workspaceId, endUser } = token;
  return { orgId, workspaceId, integrationName, endUserId: endUser.externalId, workspaceIntegrationId: instance?.id ?? null };
}

type Choice = Pick<PortalEntry, 'integration' | 'instance'>;

function choicesOf(catalog: Catalog, token: ConnectToken, instances: readonly WorkspaceIntegration[]): Choice[] {
  const { integrationName, workspaceIntegrationId } = token;
  const configured = instances
    .filter((instance) => integrationName === null || instance.integrationName === integrationName)
    .filter((instance) =>
      workspaceIntegrationId === null ? instance.connectionStrategy !== 'fixed' : instance.id === workspaceIntegrationId,
    )
    .flatMap((instance) => choice(catalog, instance.integrationName, instance));
  if (configured.length > 0 || integrationName === null || workspaceIntegrationId !== null) return configured;
  return choice(catalog, integrationName, null);
}

function choice(catalog: Catalog, integrationName: string, instance: WorkspaceIntegration | null): Choice[] {
  const integration = catalog.find(integrationName);
  return integration?.auth?.length ? [{ integration, instance }] : [];
}

async function inheritedMethod(gateway: Gateway, token: ConnectToken, instance: WorkspaceIntegration | null): Promise<string | null> {
  if (token.workspaceIntegrationId === null || !instance?.connectionId) return null;
  return (await findConnection(gateway.db, token.orgId, instance.connectionId))?.authMethodKey ?? null;
}

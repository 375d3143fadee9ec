import type { Connection } from '../domain/connection.ts';
import type { WorkspaceIntegration } from '../domain/workspace-integration.ts';
import { isWellFormed } from '../infra/tokens.ts';
import type { CatalogIntegration } from '../integrations/catalog.ts';
import { type ConnectToken, findConnectTokenByHash } from '../store/connect-tokens.ts';
import { findConnection, pageConnections } from '../store/connections.ts';
import { listOauthAppIntegrations } from '../store/oauth-apps.ts';
import { findOwnConnection } from '../store/usable-connections.ts';
import { listWorkspaceIntegrations } from '../store/workspace-integrations.ts';
import type { Gateway } from './gateway.ts';
import { listWaiting, type WaitingApprovals } from './list-waiting.ts';
import { type Offer, offerMethods } from './offer-methods.ts';

/** One thing that the end user may connect, a configured instance or an integration; or one more account that they have. */
export interface PortalEntry {
  /** What forms call it: the id of the instance, the name of the integration, or the id of the account. */
  key: string;
  integration: Pick<CatalogIntegration, 'name' | 'displayName' | 'description' | 'auth'>;
  instance: WorkspaceIntegration | null;
  /** The account that calls for the end user act with now, or the one that the entry is about. */
  connection: Connection | undefined;
  offers: Offer[];
}

export interface Portal {
  token: ConnectToken;
  entries: PortalEntry[];
  waiting: WaitingApprovals;
}

/**
 * What a connect token opens for its end user (specification 4.3, 5.8); undefined, always alike, for a token that opens nothing. Every
 * account of theirs that the token reaches is there, so that it can be disconnected whatever the workspace has configured since; and, with a
 * token that may review, what waits for their own decision.
 */
export async function openPortal(gateway: Gateway, plainToken: string): Promise<Portal | undefined> {
  const token = await findPortalToken(gateway, plainToken);
  if (!token) return undefined;
  const [instances, apps, waiting] = await Promise.all([
    listWorkspaceIntegrations(gateway.db, token.orgId, token.workspaceId),
    listOauthAppIntegrations(gateway.db, token.orgId),
    token.mayReview ? listWaiting(gateway, token.endUser) : NOTHING_WAITS,
  ]);
  const entries = await Promise.all(
    choicesOf(gateway, token, instances).map(async ({ integration, instance }) => ({
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
  return items
    .filter(({ id }) => !entries.some(({ connection }) => connection?.id === id))
    .map((connection) => {
      const integration = gateway.catalog.find(connection.integrationName) ?? withdrawn(connection.integrationName);
      return { key: connection.id, integration, instance: null, connection, offers: offerMethods(integration, apps, null) };
    });
}

/** An integration that the catalogue no longer has: its accounts can still be disconnected. */
function withdrawn(name: string): PortalEntry['integration'] {
  return { name, displayName: name, description: '', auth: null };
}

/** The token, unless unknown or expired. */
export async function findPortalToken(gateway: Gateway, plainToken: string): Promise<ConnectToken | undefined> {
  if (!isWellFormed(plainToken, 'eut_')) return undefined;
  return findConnectTokenByHash(gateway.db, gateway.tokens.hash(plainToken));
}

/** Where connections of the end user are looked for. */
export function contextOf(token: ConnectToken, integrationName: string, instance: WorkspaceIntegration | null) {
  const { orgId, workspaceId, endUser } = token;
  return { orgId, workspaceId, integrationName, endUserId: endUser.externalId, workspaceIntegrationId: instance?.id ?? null };
}

type Choice = Pick<PortalEntry, 'integration' | 'instance'>;

function choicesOf(gateway: Gateway, token: ConnectToken, instances: readonly WorkspaceIntegration[]): Choice[] {
  const { integrationName, workspaceIntegrationId } = token;
  const configured = instances
    .filter((instance) => integrationName === null || instance.integrationName === integrationName)
    .filter((instance) =>
      workspaceIntegrationId === null ? instance.connectionStrategy !== 'fixed' : instance.id === workspaceIntegrationId,
    )
    .flatMap((instance) => choice(gateway, instance.integrationName, instance));
  if (configured.length > 0 || integrationName === null || workspaceIntegrationId !== null) return configured;
  return choice(gateway, integrationName, null);
}

/** Nothing where no account is needed, or the catalogue no longer has the integration. */
function choice({ catalog }: Gateway, integrationName: string, instance: WorkspaceIntegration | null): Choice[] {
  const integration = catalog.find(integrationName);
  return integration?.auth?.length ? [{ integration, instance }] : [];
}

/** A token for one instance inherits the auth method of the instance's own connection. */
async function inheritedMethod(gateway: Gateway, token: ConnectToken, instance: WorkspaceIntegration | null): Promise<string | null> {
  if (token.workspaceIntegrationId === null || !instance?.connectionId) return null;
  return (await findConnection(gateway.db, token.orgId, instance.connectionId))?.authMethodKey ?? null;
}

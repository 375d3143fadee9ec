import pLimit from 'p-limit';
import { connectionActivity } from '../../domain/audit/setup-activity.ts';
import type { Connection } from '../../domain/connection.ts';
import { GatewayError } from '../../domain/errors.ts';
import { retry } from '../../infra/concurrency/retry.ts';
import { GrantGoneError, refreshGrant } from '../../infra/oauth/authorization-code.ts';
import type { AuthMethod, AuthValue } from '../../integrations/definition.ts';
import { endpointsOf } from '../../integrations/oauth-endpoints.ts';
import {
  endRefresh,
  failRefresh,
  findRefreshState,
  leaseRefresh,
  listDueRefreshes,
  type RefreshableConnection,
  storeRefreshed,
} from '../../store/connection-refresh.ts';
import { findOauthApp } from '../../store/oauth-apps.ts';
import { activityRows } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { type Credentials, openAllCredentials, openCredentials, sealCredentials } from './connection-credentials.ts';
import { asksConsent, openClientSecret } from './create-oauth-app.ts';

type Host = Pick<Gateway, 'db' | 'vault' | 'catalog' | 'outbound' | 'logger'>;

/** Access that ends within this is refreshed before a call uses it. */
const AT_USE_SECONDS = 10;

/** Access that ends within this is refreshed without any call. */
const AHEAD_SECONDS = 90;

/** Covers one request to a third party and its time limit. */
const LEASE_SECONDS = 45;

/** How soon a process looks again whether another one is done with a refresh, in ms. */
const LOOK_AGAIN = { firstMs: 100, maxMs: 400 };

/**
 * The credentials with which a call acts now. Access that has ended is refreshed first, by one
 * process at a time, and stored before it is used. If the third party gives no new access now, the
 * present one is used until it ends. Throws CONNECTION_REQUIRED when the grant is gone, and
 * ACTION_FAILED when there is neither new nor valid access.
 */
export async function currentCredentials(
  gateway: Host,
  connection: Pick<RefreshableConnection, 'id' | 'orgId' | 'workspaceId' | 'authMethodKey' | 'sealedCredentials'> &
    Pick<Connection, 'integrationName'> & { expiresAt?: Date | null },
): Promise<AuthValue> {
  const { expiresAt } = connection;
  if (!expiresAt || expiresAt.getTime() > Date.now() + AT_USE_SECONDS * 1000) return openCredentials(gateway, connection);
  const stored = await openAllCredentials(gateway, connection);
  if (!('refreshToken' in stored) || stored.refreshToken === undefined) return openCredentials(gateway, connection);
  return retry({ while: (error) => error instanceof RefreshUnderWayError, backoff: LOOK_AGAIN }, async () => {
    const leased = await leaseRefresh(gateway.db, connection.id, { withinSeconds: AT_USE_SECONDS, leaseSeconds: LEASE_SECONDS });
    if (leased) {
      await refresh(gateway, leased).catch((error) => {
        if (!leased.expiresAt || leased.expiresAt.getTime() <= Date.now()) throw error;
        logFailure(gateway, connection.id, error);
      });
    }
    const state = await findRefreshState(gateway.db, connection.id);
    if (!state || state.status === 'ERROR') throw needsConnecting(connection.integrationName, state?.statusReason);
    if (!leased && state.isRefreshing) throw new RefreshUnderWayError('another process refreshes this connection');
    return openCredentials(gateway, state);
  });
}

/** Another process holds the lease of the refresh. */
class RefreshUnderWayError extends Error {
  override name = 'RefreshUnderWayError';
}

function needsConnecting(integrationName: string, reason: string | null | undefined): GatewayError {
  const message = `The account of ${integrationName} has to be connected again${reason ? `: ${reason}` : '.'}`;
  return new GatewayError('CONNECTION_REQUIRED', message, { integrationName });
}

/**
 * Gets and stores new access for a connection whose lease is held. A grant that is gone leaves the
 * connection in ERROR.
 */
async function refresh(gateway: Host, connection: RefreshableConnection): Promise<void> {
  const { db, outbound } = gateway;
  try {
    const stored = (await openAllCredentials(gateway, connection)) as Extract<Credentials, { accessToken: string }>;
    const { method, client } = await clientOf(gateway, connection);
    const provider = endpointsOf(method.oauth2, stored.data);
    const { expiresInSeconds, data, ...grant } = await refreshGrant(outbound, provider, { client, refreshToken: stored.refreshToken! });
    // What the answer does not repeat, such as the account's address, stays.
    const credentials = { ...stored, ...withoutUndefined(grant), data: { ...stored.data, ...data, ...propsOf(method, stored.data) } };
    const expiresAt = expiresInSeconds === undefined ? null : new Date(Date.now() + expiresInSeconds * 1000);
    await storeRefreshed(db, connection, { sealedCredentials: await sealCredentials(gateway, connection, credentials), expiresAt });
  } catch (error) {
    if (error instanceof GrantGoneError) return fail(db, connection, error.message);
    await endRefresh(db, connection);
    throw error;
  }
}

async function fail(db: Host['db'], connection: RefreshableConnection, reason: string): Promise<void> {
  const failed = connectionActivity('connection.failed', connection, { type: 'system', id: null }, { reason });
  await failRefresh(db, connection, reason, activityRows(failed));
}

async function clientOf(gateway: Host, { orgId, integrationName, authMethodKey }: RefreshableConnection) {
  const method = (await gateway.catalog.find(orgId, integrationName))?.auth?.find(({ key }) => key === authMethodKey);
  const app = await findOauthApp(gateway.db, orgId, integrationName);
  if (!method || !asksConsent(method) || !app)
    throw new GatewayError('ACTION_FAILED', `The OAuth app of ${integrationName} was removed, so its access cannot be refreshed.`);
  return { method, client: { clientId: app.clientId, clientSecret: await openClientSecret(gateway, app) } };
}

/**
 * Keeps the values that the owner entered, even if an answer has others: they decide where tokens
 * are sent.
 */
function propsOf({ props }: AuthMethod, data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).filter(([name]) => props?.keys.includes(name)));
}

function withoutUndefined<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;
}

/** Maximum number of connections that one round refreshes, and how many at a time. */
const TURN = { limit: 100, concurrency: 5 } as const;

/** Delay before a failed refresh is retried. */
const PAUSE_SECONDS = 15;

/** Refreshes access that ends soon, without any call; answers how many connections were tried. */
export async function refreshDueConnections(gateway: Host): Promise<number> {
  const due = await listDueRefreshes(gateway.db, { withinSeconds: AHEAD_SECONDS, pauseSeconds: PAUSE_SECONDS, limit: TURN.limit });
  const limit = pLimit(TURN.concurrency);
  await Promise.all(due.map((id) => limit(() => refreshAhead(gateway, id))));
  return due.length;
}

async function refreshAhead(gateway: Host, id: string): Promise<void> {
  const leased = await leaseRefresh(gateway.db, id, { withinSeconds: AHEAD_SECONDS, leaseSeconds: LEASE_SECONDS });
  if (!leased) return;
  await refresh(gateway, leased).catch((error) => logFailure(gateway, id, error));
}

function logFailure({ logger }: Host, connectionId: string, error: unknown): void {
  logger.warn({ connectionId, error: String(error) }, 'connection access refresh failed');
}

import pLimit from 'p-limit';
import { connectionActivity } from '../../domain/audit/setup-activity.ts';
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
  type RefreshState,
  storeRefreshed,
} from '../../store/connection-refresh.ts';
import { findOauthApp } from '../../store/oauth-apps.ts';
import { activityRows } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { type Credentials, openAllCredentials, openCredentials, sealCredentials } from './connection-credentials.ts';
import { asksConsent, openClientSecret, withoutApp } from './create-oauth-app.ts';
import { noteConnectionStatus } from './note-connection-status.ts';

type Host = Pick<Gateway, 'db' | 'vault' | 'catalog' | 'outbound' | 'logger'>;

/** Access that expires within this time is refreshed before a call uses it. */
const AT_USE_SECONDS = 10;

/** Access that expires within this time is refreshed in the background. */
const AHEAD_SECONDS = 90;

/** Longer than one request to a third party can take. */
const LEASE_SECONDS = 45;

type Refreshed = Pick<RefreshableConnection, 'id' | 'orgId' | 'workspaceId' | 'authMethodKey' | 'sealedCredentials' | 'integrationName'>;

/**
 * The current credentials for a call, refreshed first if they expire soon. Throws
 * CONNECTION_REQUIRED if the account must be connected again. A refresh that fails for another
 * reason throws only if the current token has expired.
 */
export async function currentCredentials(gateway: Host, connection: Refreshed & { expiresAt?: Date | null }): Promise<AuthValue> {
  const { expiresAt } = connection;
  if (!expiresAt || expiresAt.getTime() > Date.now() + AT_USE_SECONDS * 1000) return openCredentials(gateway, connection);
  if (!canRefresh(await openAllCredentials(gateway, connection))) return openCredentials(gateway, connection);
  return retry(WHILE_UNDER_WAY, async () => {
    const leased = await leaseRefresh(gateway.db, connection.id, { withinSeconds: AT_USE_SECONDS }, LEASE_SECONDS);
    if (leased) {
      await refresh(gateway, leased).catch((error) => {
        if (hasEnded(leased)) throw error;
        logFailure(gateway, connection.id, error);
      });
    }
    const state = await findUsable(gateway, connection);
    if (!leased && state.isRefreshing) throw new RefreshUnderWayError();
    return openCredentials(gateway, state);
  });
}

/**
 * Replaces an access token that the third party has refused; undefined if there is no refresh
 * token. Throws CONNECTION_REQUIRED and ACTION_FAILED.
 */
export async function renewCredentials(gateway: Host, connection: Refreshed, refusedToken: string): Promise<AuthValue | undefined> {
  return retry(WHILE_UNDER_WAY, async () => {
    const state = await findRefreshState(gateway.db, connection.id);
    const stored = state && (await openAllCredentials(gateway, state));
    if (stored && 'accessToken' in stored && stored.accessToken !== refusedToken) return openCredentials(gateway, state);
    if (stored && !canRefresh(stored)) return undefined;
    const { sealedCredentials: refusedCredentials } = assertUsable(connection, state);
    const leased = await leaseRefresh(gateway.db, connection.id, { refusedCredentials }, LEASE_SECONDS);
    if (!leased) throw new RefreshUnderWayError();
    // A refused token counts as expired, even before the end of its lifetime.
    await refresh(gateway, { ...leased, expiresAt: new Date() });
    return openCredentials(gateway, await findUsable(gateway, connection));
  });
}

/** Another process holds the lease of the refresh or has just changed the connection. */
class RefreshUnderWayError extends Error {
  override name = 'RefreshUnderWayError';
}

const WHILE_UNDER_WAY = {
  while: (error: unknown) => error instanceof RefreshUnderWayError,
  backoff: { firstMs: 100, maxMs: 400 },
};

function canRefresh(credentials: Credentials): boolean {
  return 'refreshToken' in credentials && credentials.refreshToken !== undefined;
}

function hasEnded({ expiresAt }: Pick<RefreshableConnection, 'expiresAt'>): boolean {
  return expiresAt !== null && expiresAt.getTime() <= Date.now();
}

async function findUsable(gateway: Host, connection: Refreshed): Promise<RefreshState> {
  return assertUsable(connection, await findRefreshState(gateway.db, connection.id));
}

function assertUsable({ integrationName }: Refreshed, state: RefreshState | undefined): RefreshState {
  const isLost = !state || state.status === 'REVOKED' || (state.status === 'ERROR' && state.statusReason !== null);
  if (!isLost) return state;
  const message = `The account of ${integrationName} has to be connected again${state?.statusReason ? `: ${state.statusReason}` : '.'}`;
  throw new GatewayError('CONNECTION_REQUIRED', message, { integrationName });
}

async function refresh(gateway: Host, connection: RefreshableConnection): Promise<void> {
  const { db, outbound } = gateway;
  try {
    const stored = (await openAllCredentials(gateway, connection)) as Extract<Credentials, { accessToken: string }>;
    const { method, client } = await clientOf(gateway, connection);
    const provider = endpointsOf(method.oauth2, stored.data);
    const { expiresInSeconds, data, ...grant } = await refreshGrant(outbound, provider, { client, refreshToken: stored.refreshToken! });
    // Keeps values that the answer does not repeat, such as the address of the account.
    const credentials = { ...stored, ...withoutUndefined(grant), data: { ...stored.data, ...data, ...propsOf(method, stored.data) } };
    const expiresAt = expiresInSeconds === undefined ? null : new Date(Date.now() + expiresInSeconds * 1000);
    await storeRefreshed(db, connection, { sealedCredentials: await sealCredentials(gateway, connection, credentials), expiresAt });
    await noteConnectionStatus(gateway, connection, true);
  } catch (error) {
    const isGone = error instanceof GrantGoneError || (error instanceof NoClientError && hasEnded(connection));
    if (isGone) return fail(db, connection, error.message);
    await endRefresh(db, connection);
    throw error;
  }
}

async function fail(db: Host['db'], connection: RefreshableConnection, reason: string): Promise<void> {
  const failed = connectionActivity('connection.failed', connection, { type: 'system', id: null }, { reason });
  await failRefresh(db, connection, reason, activityRows(failed));
}

class NoClientError extends GatewayError {
  constructor(integrationName: string) {
    super('ACTION_FAILED', withoutApp(integrationName));
  }
}

async function clientOf(gateway: Host, { orgId, integrationName, authMethodKey }: RefreshableConnection) {
  const method = (await gateway.catalog.find(orgId, integrationName))?.auth?.find(({ key }) => key === authMethodKey);
  const app = await findOauthApp(gateway.db, orgId, integrationName);
  if (!method || !asksConsent(method) || !app) throw new NoClientError(integrationName);
  return { method, client: { clientId: app.clientId, clientSecret: await openClientSecret(gateway, app) } };
}

/** These values override values in an answer, because they decide where tokens are sent. */
function propsOf({ props }: AuthMethod, data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).filter(([name]) => props?.keys.includes(name)));
}

function withoutUndefined<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;
}

const TURN = { limit: 100, concurrency: 5 } as const;

/** Time before a failed refresh is retried. */
const PAUSE_SECONDS = 15;

/** Refreshes access that expires soon. Returns the number of connections that were due. */
export async function refreshDueConnections(gateway: Host): Promise<number> {
  const due = await listDueRefreshes(gateway.db, { withinSeconds: AHEAD_SECONDS, pauseSeconds: PAUSE_SECONDS, limit: TURN.limit });
  const limit = pLimit(TURN.concurrency);
  await Promise.all(due.map((id) => limit(() => refreshAhead(gateway, id))));
  return due.length;
}

async function refreshAhead(gateway: Host, id: string): Promise<void> {
  const leased = await leaseRefresh(gateway.db, id, { withinSeconds: AHEAD_SECONDS }, LEASE_SECONDS);
  if (!leased) return;
  await refresh(gateway, leased).catch((error) => logFailure(gateway, id, error));
}

function logFailure({ logger }: Host, connectionId: string, error: unknown): void {
  logger.warn({ connectionId, error: String(error) }, 'connection access refresh failed');
}

import type { Connection } from '../../domain/connection.ts';
import { expiringFrom } from '../../domain/connection-status.ts';
import type { SealedPlace } from '../../infra/vault.ts';
import type { AuthValue } from '../../integrations/definition.ts';
import type { Gateway } from '../gateway.ts';

type OAuth2Value = Extract<AuthValue, { accessToken: string }>;

/**
 * The stored credentials of a connection: the values for actions and, for OAuth2, for refreshing
 * access.
 */
export type Credentials =
  | Exclude<AuthValue, OAuth2Value>
  | (OAuth2Value & { refreshToken?: string | undefined; tokenType?: string | undefined; scope?: string | undefined });

interface SealedConnection {
  orgId: string;
  workspaceId: string | null;
  id: string;
  sealedCredentials: Buffer;
}

/** Encrypts the credentials of a connection. In another row they cannot be decrypted. */
export async function sealCredentials(
  { db, vault }: Pick<Gateway, 'db' | 'vault'>,
  connection: Pick<SealedConnection, 'orgId' | 'workspaceId' | 'id'>,
  credentials: Credentials,
): Promise<Buffer> {
  return vault.seal(db, placeOf(connection), JSON.stringify(credentials));
}

/** Decrypts the credentials for an action. Leaves out refresh tokens. */
export async function openCredentials(
  gateway: Pick<Gateway, 'db' | 'vault'>,
  connection: SealedConnection & Pick<Connection, 'authMethodKey'>,
): Promise<AuthValue> {
  const credentials = await openAllCredentials(gateway, connection);
  const methodKey = connection.authMethodKey;
  if (!('accessToken' in credentials)) return { ...credentials, methodKey };
  const { type, accessToken, data } = credentials;
  return { type, accessToken, data, methodKey };
}

/** Decrypts all credentials, for refreshing access. */
export async function openAllCredentials({ db, vault }: Pick<Gateway, 'db' | 'vault'>, connection: SealedConnection): Promise<Credentials> {
  return JSON.parse(await vault.open(db, placeOf(connection), connection.sealedCredentials)) as Credentials;
}

/**
 * When credentials expire, and when warnings start. Access that can be refreshed needs no warning.
 */
export function lifetimeOf(credentials: Credentials, expiresAt: Date | null): { expiresAt: Date | null; expiringAt: Date | null } {
  const canRefresh = 'refreshToken' in credentials && credentials.refreshToken !== undefined;
  return { expiresAt, expiringAt: expiresAt === null || canRefresh ? null : expiringFrom(new Date(), expiresAt) };
}

function placeOf({ orgId, workspaceId, id }: Pick<SealedConnection, 'orgId' | 'workspaceId' | 'id'>): SealedPlace {
  return { table: 'connections', column: 'sealed_credentials', orgId, workspaceId, rowId: id };
}

import { expiringFrom } from '../domain/connection-status.ts';
import type { AuthValue } from '../integrations/definition.ts';
import type { Gateway } from './gateway.ts';

type OAuth2Value = Extract<AuthValue, { accessToken: string }>;

/** All that a connection keeps of an account: what actions get and, of OAuth2, what renewing needs. */
export type Credentials =
  | Exclude<AuthValue, OAuth2Value>
  | (OAuth2Value & { refreshToken?: string | undefined; tokenType?: string | undefined; scope?: string | undefined });

interface SealedConnection {
  orgId: string;
  id: string;
  sealedCredentials: Buffer;
}

/** Encrypts the credentials of a connection for its own row: elsewhere they do not open (design: security). */
export async function sealCredentials(
  { db, vault }: Pick<Gateway, 'db' | 'vault'>,
  connection: Pick<SealedConnection, 'orgId' | 'id'>,
  credentials: Credentials,
): Promise<Buffer> {
  return vault.seal(db, placeOf(connection), JSON.stringify(credentials));
}

/** What an action gets of a connection's credentials; tokens that only renew access stay behind. */
export async function openCredentials(gateway: Pick<Gateway, 'db' | 'vault'>, connection: SealedConnection): Promise<AuthValue> {
  const credentials = await openAllCredentials(gateway, connection);
  if (!('accessToken' in credentials)) return credentials;
  const { type, accessToken, data } = credentials;
  return { type, accessToken, data };
}

/** All that was sealed, for renewing access. */
export async function openAllCredentials({ db, vault }: Pick<Gateway, 'db' | 'vault'>, connection: SealedConnection): Promise<Credentials> {
  return JSON.parse(await vault.open(db, placeOf(connection), connection.sealedCredentials)) as Credentials;
}

/** When credentials end and when to warn of it; access that renews itself needs no warning. */
export function lifetimeOf(credentials: Credentials, expiresAt: Date | null): { expiresAt: Date | null; expiringAt: Date | null } {
  const renewsItself = 'refreshToken' in credentials && credentials.refreshToken !== undefined;
  return { expiresAt, expiringAt: expiresAt === null || renewsItself ? null : expiringFrom(new Date(), expiresAt) };
}

function placeOf({ orgId, id }: Pick<SealedConnection, 'orgId' | 'id'>) {
  return { table: 'connections', column: 'sealed_credentials', orgId, rowId: id };
}

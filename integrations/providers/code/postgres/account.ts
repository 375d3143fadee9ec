import { ActionError, type AuthValue } from '../../../definition.ts';
import { accountOf } from '../../../provider-auth.ts';

/** A database account, as `postgres.yaml` declares it. */
export interface PostgresAccount {
  host: string;
  port: number;
  database: string;
  username: string;
  password: string;
  sslmode: 'verify-full' | 'verify-ca' | 'disable';
  /** PEM certificates, in place of the system's authorities. */
  ca?: string;
}

const METHOD = { key: 'database', type: 'CUSTOM_AUTH', displayName: 'Database', description: '' } as const;

/**
 * Returns the account of a call. Throws CONNECTION_REQUIRED without an account, and ActionError for
 * an account of another type or without a required value.
 */
export function postgresAccount(auth: AuthValue | null): PostgresAccount {
  const account = accountOf({ displayName: 'PostgreSQL', auth: [METHOD] }, auth) as { props: Readonly<Record<string, unknown>> };
  const missing = ['host', 'database', 'username', 'password'].filter((name) => typeof account.props[name] !== 'string');
  if (missing.length > 0)
    throw new ActionError(`The connected account of PostgreSQL is not complete: ${missing.join(', ')}. Connect it again.`, {
      reason: 'unauthorized',
    });
  return { port: 5432, sslmode: 'verify-full', ...account.props } as PostgresAccount;
}

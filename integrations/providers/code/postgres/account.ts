import { ActionError, type AuthValue } from '../../../definition.ts';
import { accountOf } from '../../../provider-auth.ts';

/** The address and login of a database: the props of the document in `postgres.yaml`. */
export interface PostgresAccount {
  host: string;
  port: number;
  database: string;
  username: string;
  password: string;
  sslmode: 'verify-full' | 'verify-ca' | 'disable';
  /** Certificates in PEM that replace the system's authorities. */
  ca?: string;
}

const METHOD = { key: 'database', type: 'CUSTOM_AUTH', displayName: 'Database', description: '' } as const;

/**
 * The account of a call. Throws CONNECTION_REQUIRED if there is none, ActionError if it lacks a
 * value.
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

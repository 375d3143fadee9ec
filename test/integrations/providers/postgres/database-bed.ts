import pg from 'pg';
import type { Outbound } from '../../../../domain/outbound.ts';
import { openOutbound } from '../../../../infra/outbound.ts';
import type { AuthValue } from '../../../../integrations/definition.ts';
import { cloneDatabase } from '../../../support/ask-test-bed.ts';
import { providerNamed, run } from '../provider-bed.ts';

/** Settings that allow addresses of this machine. */
export const LOCAL = { allowHttp: true, allowCidrs: ['127.0.0.0/8', '::1/128'] };

interface More {
  props?: object;
  signal?: AbortSignal;
  outbound?: Outbound;
}

/** A database on a real server, and the provider with an account for this database. */
export interface DatabaseBed {
  url: string;
  props: { host: string; port: number; database: string; username: string; password: string; sslmode: string };
  outbound: Outbound;
  /** Runs SQL without the provider. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  call(name: string, input?: object, more?: More): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

/** The provider under test. */
export const postgres = providerNamed('postgres');

/** Opens a bed with a new database. */
export async function openDatabaseBed(): Promise<DatabaseBed> {
  const { url, drop } = await cloneDatabase();
  const { hostname: host, port, pathname, username, password } = new URL(url);
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const outbound = openOutbound(LOCAL);
  const props = {
    ...{ host, port: Number(port || 5432), database: pathname.slice(1), username, sslmode: 'disable' },
    // A server that trusts local connections has no password in its URL and accepts any password.
    password: decodeURIComponent(password) || 'pr0vider-s3cret',
  };
  return {
    ...{ url, props, outbound },
    sql: async (text, values) => (await admin.query(text, values)).rows,
    call(name, input = {}, { props: changed = {}, ...more } = {}) {
      const auth: AuthValue = { type: 'CUSTOM_AUTH', props: { ...props, ...changed } };
      return run(postgres, name, input, { auth, outbound, ...more });
    },
    async close() {
      await outbound.close();
      await admin.end();
      await drop();
    },
  };
}

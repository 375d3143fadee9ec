import { join } from 'node:path';
import pg from 'pg';
import { retry } from '../infra/concurrency/retry.ts';
import { foreignEnvironment, SetupError } from '../infra/config.ts';
import { connectionString, openCluster, readPidFile } from './postgres-cluster.ts';
import { findPostgresHome } from './postgres-home.ts';
import { endOrTimeout, type Program, runProgram } from './run-program.ts';

export type Postgres = Program & { port: number; url: string; adminUrl: string };

export type PostgresOptions = {
  dataDir: string;
  port: number;
  /** False turns crash safety off, for tests. Default: true. */
  durable?: boolean;
  say?: (line: string) => void;
};

/**
 * Starts Postgres on 127.0.0.1 with its cluster under DATA_DIR/postgres. `url` is for the owner of
 * the database `gateway`, and `adminUrl` for the superuser.
 */
export async function startPostgres({ dataDir, port, durable = true, say = () => {} }: PostgresOptions): Promise<Postgres> {
  const home = await findPostgresHome(dataDir, say);
  const password = await openCluster(home);
  const program = await runProgram({
    name: 'postgres',
    command: join(home.programs, 'bin', 'postgres'),
    args: ['-D', home.cluster, ...settings({ port, durable })],
    env: foreignEnvironment(),
    cwd: home.cluster,
    user: home.user,
    dataDir,
    stopSignal: 'SIGINT',
    stopSeconds: 4,
  });
  const postgres = {
    ...program,
    port,
    url: connectionString('gateway', password, port, 'gateway'),
    adminUrl: connectionString('postgres', password, port, 'postgres'),
  };
  try {
    await createDatabase(await connect(postgres, home.cluster), password);
  } catch (error) {
    await program.stop();
    throw error;
  }
  return postgres;
}

/** Settings for a small machine. */
function settings({ port, durable }: { port: number; durable: boolean }): string[] {
  const values = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: durable ? 100 : 300,
    shared_buffers: '48MB',
    maintenance_work_mem: '32MB',
    huge_pages: 'off',
    io_method: 'sync',
    wal_level: 'minimal',
    max_wal_senders: 0,
    max_wal_size: '256MB',
    max_worker_processes: 2,
    max_parallel_workers: 2,
    max_logical_replication_workers: 0,
    autovacuum_max_workers: 1,
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function connect(postgres: Postgres, cluster: string): Promise<pg.Client> {
  try {
    return await retry({ until: endOrTimeout(postgres, 60_000), backoff: { firstMs: 25 } }, () => connectOnce(postgres, cluster));
  } catch {
    throw new SetupError(`The embedded Postgres did not start: ${postgres.lastWords()}. Its log is ${postgres.logFile}.`);
  }
}

async function connectOnce({ pid, adminUrl }: Postgres, cluster: string): Promise<pg.Client> {
  if (!isReady(cluster, pid)) throw new Error('not ready yet');
  const client = new pg.Client({ connectionString: adminUrl });
  client.on('error', () => {}); // reported by the query
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

/** Whether our process accepts connections. Another program must not get the password. */
function isReady(cluster: string, pid: number): boolean {
  const found = readPidFile(cluster);
  return found?.pid === pid && found.isReady;
}

async function createDatabase(client: pg.Client, password: string): Promise<void> {
  try {
    const { rowCount } = await client.query(`select 1 from pg_database where datname = 'gateway'`);
    if (rowCount) return;
    await client.query(`do $$ begin create role gateway login; exception when duplicate_object then null; end $$`);
    await client.query(`alter role gateway password '${password}'`);
    await client.query('create database gateway owner gateway');
  } finally {
    await client.end();
  }
}

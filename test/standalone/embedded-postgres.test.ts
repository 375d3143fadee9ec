import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { openDataFolder } from '../../standalone/data-folder.ts';
import { type Postgres, startPostgres } from '../../standalone/embedded-postgres.ts';
import { freePort } from '../../standalone/free-port.ts';
import { makeTestFolder } from '../support/test-bed.ts';

const running: Postgres[] = [];
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((postgres) => postgres.stop()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

test('the first start creates a cluster, and the next start finds its data', async () => {
  const dataDir = makeFolder();
  const first = await start(dataDir);
  await query(first.url, 'create table notes (text text)');
  await query(first.url, `insert into notes values ('kept')`);
  await first.stop();

  const second = await start(dataDir);
  expect(await query(second.url, 'select text from notes')).toEqual([{ text: 'kept' }]);
});

test('writes are synced, text is UTF-8, and a password is required', async () => {
  const dataDir = makeFolder();
  const { url } = await start(dataDir);
  const [settings] = await query(
    url,
    `select current_setting('fsync') fsync, current_setting('synchronous_commit') commits, current_setting('server_encoding') encoding`,
  );
  expect(settings).toEqual({ fsync: 'on', commits: 'on', encoding: 'UTF8' });
  expect(statSync(join(dataDir, 'postgres-password')).mode & 0o777).toBe(0o600);

  const guessed = new URL(url);
  guessed.password = 'guessed';
  await expect(query(guessed.href, 'select 1')).rejects.toThrow(/password authentication failed/);
});

test('after a kill, the next start stops the former Postgres and has all rows', async () => {
  const dataDir = makeFolder();
  const supervisor = spawn(process.execPath, ['--input-type=module-typescript', '-e', SUPERVISOR, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(supervisor.stdout, 'data');
  const orphan = JSON.parse(String(line)) as { url: string };
  await query(orphan.url, 'create table notes (text text)');
  await query(orphan.url, `insert into notes values ('kept')`);
  supervisor.kill('SIGKILL');
  await once(supervisor, 'exit');

  const folder = await openDataFolder(dataDir, () => {});
  await expect(query(orphan.url, 'select 1')).rejects.toThrow(/ECONNREFUSED/);
  const { url } = await start(folder.path);
  expect(await query(url, 'select text from notes')).toEqual([{ text: 'kept' }]);
});

test('a pid file that names another program does not prevent the start', async () => {
  const dataDir = makeFolder();
  const first = await start(dataDir);
  const pidFile = join(dataDir, 'postgres', 'cluster', 'postmaster.pid');
  const [, ...rest] = readFileSync(pidFile, 'utf8').split('\n');
  await first.kill();
  writeFileSync(pidFile, [process.pid, ...rest].join('\n'));

  const second = await start(dataDir);
  expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('freePort returns a higher port if the port is in use', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as { port: number };
  expect(await freePort(port)).toBeGreaterThan(port);
  holder.close();
  await once(holder, 'close');
  expect(await freePort(port)).toBe(port);
});

const SUPERVISOR = `
import { openDataFolder } from '${join(import.meta.dirname, '../../standalone/data-folder.ts')}';
import { startPostgres } from '${join(import.meta.dirname, '../../standalone/embedded-postgres.ts')}';
import { freePort } from '${join(import.meta.dirname, '../../standalone/free-port.ts')}';
const { path } = await openDataFolder(process.argv[1], () => {});
const { url } = await startPostgres({ dataDir: path, port: await freePort(0) });
console.log(JSON.stringify({ url }));
`;

function makeFolder(): string {
  const folder = makeTestFolder('gateway-postgres-');
  folders.push(folder);
  return folder;
}

async function start(dataDir: string): Promise<Postgres> {
  const postgres = await startPostgres({ dataDir, port: await freePort(0) });
  running.push(postgres);
  return postgres;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

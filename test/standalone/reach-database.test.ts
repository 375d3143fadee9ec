import { readdirSync, rmSync } from 'node:fs';
import pg from 'pg';
import { readConfig } from '../../infra/config.ts';
import { openDataFolder } from '../../standalone/data-folder.ts';
import { startPostgres } from '../../standalone/embedded-postgres.ts';
import { freePort } from '../../standalone/free-port.ts';
import { reachDatabase } from '../../standalone/reach-database.ts';
import { findRunningDatabase } from '../../standalone/running-database.ts';
import { keepSecrets } from '../../standalone/secrets.ts';
import { makeTestFolder } from '../support/test-bed.ts';

let dataDir: string;
const config = () => readConfig({ DATA_DIR: dataDir });

beforeEach(() => {
  dataDir = makeTestFolder('gateway-reach-');
});

afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

test('a folder without an installation is refused and stays empty', async () => {
  await expect(reachDatabase(config(), countOrgs)).rejects.toThrow(
    `Nothing has been started with DATA_DIR=${dataDir} yet. If the service runs with another data folder, set DATA_DIR to that folder.`,
  );
  expect(readdirSync(dataDir)).toEqual([]);
});

test('while the service is stopped, the database is started, migrated, and stopped after use', async () => {
  keepSecrets(dataDir, {});
  expect(await reachDatabase(config(), countOrgs)).toBe(0);
  expect(findRunningDatabase(config())).toBeUndefined();
});

test('while the service runs, its database is used and keeps running', async () => {
  keepSecrets(dataDir, {});
  expect(await reachDatabase(config(), countOrgs)).toBe(0);
  const { path, release } = await openDataFolder(dataDir, () => {});
  const postgres = await startPostgres({ dataDir: path, port: await freePort(0) });
  expect(findRunningDatabase(config())).toBe(postgres.url);
  expect(await reachDatabase(config(), countOrgs)).toBe(0);
  expect(await countOrgs(postgres.url)).toBe(0);
  await postgres.stop();
  release();
});

test('a configured database is used', async () => {
  const given = readConfig({ DATA_DIR: dataDir, DATABASE_URL: 'postgres://somewhere/else' });
  expect(await reachDatabase(given, async (url) => url)).toBe('postgres://somewhere/else');
});

async function countOrgs(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('select count(*)::int as count from orgs');
  await client.end();
  return rows[0].count;
}

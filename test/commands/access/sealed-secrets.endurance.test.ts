import { randomBytes, randomUUID } from 'node:crypto';
import { createOrg } from '../../../commands/access/create-org.ts';
import { childEnvironment } from '../../../infra/config.ts';
import { type Db, openDatabase } from '../../../infra/database.ts';
import { openTokens } from '../../../infra/tokens.ts';
import { openVault, type SealedPlace } from '../../../infra/vault.ts';
import { runCommand } from '../../../standalone/admin/run-command.ts';
import { dataKeys } from '../../../store/data-keys.ts';
import { sealedBefore } from '../../support/sealed-before.ts';
import { cloneDatabase } from '../../support/system.ts';

const KEYS = `first:${randomBytes(32).toString('base64')}`;

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
beforeEach(async () => {
  database = await cloneDatabase();
  db = openDatabase({ url: database.url, name: 'bound-secrets-test' });
});
afterEach(async () => {
  await db.destroy();
  await database.drop();
});

const rotate = () =>
  runCommand(['rotate-encryption-key'], childEnvironment({ DATABASE_URL: database.url, ENCRYPTION_KEYS: KEYS }) as NodeJS.ProcessEnv);

test('the first rotation binds secrets in the old format to their workspace', async () => {
  const bed = await openBoundBed();
  const former = await bed.sealAllBefore();
  expect((await rotate()).stdout).toContain(`${former} secrets of an older version were encrypted again, bound to their workspace.`);
  expect(await bed.formats()).toEqual(Array(former).fill(2));
  await bed.expectTexts();
  expect((await rotate()).stdout).not.toContain('encrypted again');
});

test('a rotation covers every column that the vault seals', async () => {
  const { places } = await openBoundBed();
  const columns = await db('information_schema.columns')
    .where({ table_schema: 'public', data_type: 'bytea' })
    .where('column_name', 'like', '%sealed%')
    .whereNot({ table_name: 'oauth_keys' }) // not sealed by the vault
    .select('table_name', 'column_name');
  const named = columns.map(({ table_name, column_name }) => `${table_name}.${column_name}`);
  expect(named.sort()).toEqual(places.map(({ table, column }) => `${table}.${column}`).sort());
});

test('a secret does not decrypt as a secret of another workspace', async () => {
  const bed = await openBoundBed();
  const [{ place }] = bed.values;
  const row = await db('connections').where({ id: place.rowId }).first();
  const vault = openVault(KEYS, dataKeys);
  expect(await vault.open(db, place, row.sealed_credentials)).toBe('of connections');
  const elsewhere = { ...place, workspaceId: bed.otherWorkspaceId };
  await expect(vault.open(db, elsewhere, row.sealed_credentials)).rejects.toThrow();
  await expect(vault.open(db, { ...place, workspaceId: null }, row.sealed_credentials)).rejects.toThrow();
});

/** Creates one row in each table with secrets of the vault. */
async function openBoundBed() {
  const { orgId, workspaceId } = await createOrg({ db, tokens: openTokens('p'.repeat(32)) }, 'Bound');
  const [other] = await db('workspaces').insert({ org_id: orgId, name: 'Other', slug: 'other' }).returning('id');
  const vault = openVault(KEYS, dataKeys);
  const ids = { connection: randomUUID(), app: randomUUID(), endpoint: randomUUID(), custom: randomUUID() };
  const at = (table: string, column: string, rowId: string, of: string | null): SealedPlace => ({
    orgId,
    workspaceId: of,
    table,
    column,
    rowId,
  });
  const places = [
    at('connections', 'sealed_credentials', ids.connection, workspaceId),
    at('oauth_apps', 'sealed_client_secret', ids.app, null),
    at('webhook_endpoints', 'sealed_secret', ids.endpoint, workspaceId),
    at('webhook_endpoints', 'former_sealed_secret', ids.endpoint, workspaceId),
    at('custom_integrations', 'sealed_fetch', ids.custom, null),
  ] as const;
  const values = places.map((place) => ({ place, text: `of ${place.table}` }));
  const seal = (place: SealedPlace) => vault.seal(db, place, `of ${place.table}`);
  await db('connections').insert({
    ...{ id: ids.connection, org_id: orgId, workspace_id: workspaceId, scope: 'WORKSPACE', type: 'SECRET_TEXT', auth_method_key: 'token' },
    ...{ external_id: 'ours', display_name: 'Ours', integration_name: 'mail', sealed_credentials: await seal(places[0]) },
  });
  const app = { id: ids.app, org_id: orgId, integration_name: 'mail', client_id: 'id', sealed_client_secret: await seal(places[1]) };
  await db('oauth_apps').insert(app);
  const endpoint = {
    id: ids.endpoint,
    org_id: orgId,
    workspace_id: workspaceId,
    policy_id: randomUUID(),
    url: 'https://receiver.example/',
  };
  await db('webhook_endpoints').insert({
    ...endpoint,
    sealed_secret: await seal(places[2]),
    former_sealed_secret: await seal(places[3]),
    former_signs_until: db.raw("now() + interval '1 day'"),
  });
  await db('custom_integrations').insert({
    ...{ id: ids.custom, org_id: orgId, name: 'ours', kind: 'openapi', head: '{}', settings: '{}', source: '{}', report: '{}' },
    ...{ refresh_every_seconds: 0, on_change: 'review', sealed_fetch: await seal(places[4]) },
  });

  const sealedIn = async ({ table, column, rowId }: SealedPlace): Promise<Buffer> =>
    (await db(table).where({ id: rowId }).first(column))[column];
  return {
    places,
    values: values as [(typeof values)[number], ...typeof values],
    otherWorkspaceId: other.id as string,
    /** Rewrites all secrets in the format of the previous version. Returns their number. */
    sealAllBefore: async () => {
      for (const { place, text } of values) {
        const former = await sealedBefore(db, KEYS, place, text);
        await db(place.table)
          .where({ id: place.rowId })
          .update({ [place.column]: former });
      }
      return values.length;
    },
    formats: async () => Promise.all(places.map(async (place) => (await sealedIn(place))[0])),
    expectTexts: async () => {
      const fresh = openVault(KEYS, dataKeys);
      for (const { place, text } of values) expect(await fresh.open(db, place, await sealedIn(place))).toBe(text);
    },
  };
}

import { createOrg, type NewOrg } from '../../../commands/access/create-org.ts';
import { openOrgCatalog } from '../../../commands/integrations/org-catalog.ts';
import { openSetupCache } from '../../../commands/surfaces/setup-cache.ts';
import { openSurfaceCache, type SurfaceCache } from '../../../commands/surfaces/surface-cache.ts';
import type { Db } from '../../../infra/database.ts';
import { openTokens } from '../../../infra/tokens.ts';
import { openCatalog } from '../../../integrations/catalog.ts';
import { insertMcpServer } from '../../../store/mcp-servers.ts';
import { insertMcpTool, type NewMcpTool } from '../../../store/mcp-tools.ts';
import { raiseSurfaceVersion } from '../../../store/workspaces.ts';
import { patientDatabase } from '../../support/patient-database.ts';
import { cloneDatabase } from '../../support/system.ts';

let db: Db;
let drop: () => Promise<void>;
let org: NewOrg;
beforeAll(async () => {
  const database = await cloneDatabase();
  drop = database.drop;
  db = patientDatabase(database.url, 10);
  org = await createOrg({ db, tokens: openTokens('a pepper that is only for tests, long enough') }, 'Surfaces');
});
afterAll(async () => {
  await db.destroy();
  await drop();
});

async function aServer(): Promise<string> {
  const { id } = await insertMcpServer(db, {
    ...{ orgId: org.orgId, workspaceId: org.workspaceId, name: 'A server', description: null, mode: 'CODE', settings: {} },
    ...{ authMode: 'bearer', endUserAccess: 'restricted', endUserId: null, createdBy: null },
  });
  return id;
}

const add = (serverId: string, actionName: string, fields: Partial<NewMcpTool> = {}) =>
  insertMcpTool(db, {
    ...{ orgId: org.orgId, workspaceId: org.workspaceId, serverId, integrationName: 'datetime', integrationAlias: 'datetime', actionName },
    ...{
      connectionId: null,
      displayName: null,
      description: null,
      inputDefaults: null,
      partialIds: [],
      sortOrder: 0,
      sourceWorkspaceIntegrationId: null,
    },
    ...fields,
  });

const aCache = (catalog = openCatalog()) => openSurfaceCache(db, openOrgCatalog(db, catalog), openSetupCache(db));

const of = (cache: SurfaceCache, serverId: string, surfaceVersion?: number) =>
  cache.of({ serverId, orgId: org.orgId, workspaceId: org.workspaceId, surfaceVersion });

test('a surface is cached until its version increases; then every process reads the new surface', async () => {
  const serverId = await aServer();
  const [here, there] = [aCache(), aCache()];
  const before = await Promise.all([of(here, serverId), of(there, serverId)]);
  await add(serverId, 'parse_date');
  expect(await of(here, serverId)).toBe(before[0]);
  await raiseSurfaceVersion(db, org.workspaceId);
  for (const cache of [here, there]) expect((await of(cache, serverId)).actions).toEqual({ datetime: ['parse_date'] });
});

test('an action unknown to the catalogue is not offered', async () => {
  const serverId = await aServer();
  await add(serverId, 'no_such_action');
  await add(serverId, 'parse_date', { integrationName: 'no-such-integration', integrationAlias: 'gone' });
  expect((await of(aCache(), serverId)).tools).toEqual([]);
});

test('the hash of a surface depends on actions and schemas, but their order is irrelevant', async () => {
  const serverId = await aServer();
  await add(serverId, 'parse_date');
  await add(serverId, 'format_date');
  const catalog = openCatalog();
  const surface = await of(aCache(catalog), serverId);
  expect(surface.hashOf()).toBe(surface.hashOf({ datetime: ['format_date', 'parse_date'] }));
  expect(surface.hashOf({ datetime: ['parse_date'] })).not.toBe(surface.hashOf());

  await db('mcp_tools')
    .where({ server_id: serverId, action_name: 'format_date' })
    .update({ input_defaults: JSON.stringify({ format: 'iso' }) });
  const preset = await of(aCache(catalog), serverId);
  expect(preset.hashOf()).not.toBe(surface.hashOf());
  expect(preset.hashOf({ datetime: ['parse_date'] })).toBe(surface.hashOf({ datetime: ['parse_date'] }));
});

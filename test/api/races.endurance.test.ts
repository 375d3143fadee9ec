import type { ApiAnswer } from '../support/caller.ts';
import { type ApiBed, openApiBed } from './api-bed.ts';
import { END_USERS } from './end-users/end-user-bed.ts';
import { aWorld, type World } from './tenants/a-world.ts';
import { MATRIX } from './tenants/matrix.ts';

const RACERS = 12;
const SERVERS = '/api/v1/mcp/servers';
const PARTIALS = '/api/v1/partials';
const CONNECTIONS = '/api/v1/connections';
const WORKSPACES = '/api/v1/workspaces';

let bed: ApiBed;
let world: World;
beforeAll(async () => {
  bed = await openApiBed();
  world = await aWorld(bed);
});
afterAll(() => bed?.close());

const integrations = () => `${WORKSPACES}/${world.workspaceId}/integrations`;
const account = (fields: object) => ({ integrationName: 'openai', externalId: 'raced', type: 'SECRET_TEXT', secretText: 'x', ...fields });
const race = (start: (racer: number) => Promise<ApiAnswer>) => Promise.all(Array.from({ length: RACERS }, (_, racer) => start(racer)));
const outcomes = (answers: ApiAnswer[]) => answers.map(({ status, body }) => (body.code ? `${status} ${body.code}` : `${status}`)).sort();
const oneOf = (won: string, lost = '409 DUPLICATE') => [won, ...Array(RACERS - 1).fill(lost)].sort();
const count = async (table: string, where: object) => Number((await bed.gateway.db(table).where(where).count())[0]!.count);

describe('concurrent requests to create one unique record: one succeeds, the others get DUPLICATE', () => {
  test.each<[string, () => [string, object], string, object]>([
    ['a workspace with one slug', () => [WORKSPACES, { name: 'x', slug: 'raced' }], 'workspaces', { slug: 'raced' }],
    [
      'an end user with one externalId',
      () => [END_USERS, { workspaceId: world.workspaceId, externalId: 'raced' }],
      'end_users',
      { external_id: 'raced' },
    ],
    [
      'a workspace integration with one alias',
      () => [integrations(), { integrationName: 'datetime', alias: 'raced' }],
      'workspace_integrations',
      { alias: 'raced' },
    ],
    ["the organization's connection", () => [CONNECTIONS, account({})], 'connections', { external_id: 'raced', scope: 'ORGANIZATION' }],
    [
      "a workspace's connection",
      () => [CONNECTIONS, account({ scope: 'WORKSPACE', workspaceId: world.workspaceId })],
      'connections',
      { external_id: 'raced', scope: 'WORKSPACE' },
    ],
    [
      "an end user's connection",
      () => [CONNECTIONS, account({ workspaceId: world.workspaceId, endUserId: 'new in the race' })],
      'connections',
      { external_id: 'raced', scope: 'USER' },
    ],
    [
      'a partial with one name',
      () => [PARTIALS, { workspaceId: world.workspaceId, integrationName: 'kv-store', name: 'raced', values: {} }],
      'partials',
      { name: 'raced' },
    ],
    [
      'a tool with one alias and action',
      () => [
        `${SERVERS}/${world.serverId}/tools`,
        { integrationName: 'datetime', actionName: 'date_math', integrationAlias: 'tool-raced' },
      ],
      'mcp_tools',
      { integration_alias: 'tool-raced' },
    ],
    [
      'an OAuth app for one integration',
      () => ['/api/v1/oauth-apps', { integrationName: 'github', clientId: 'x', clientSecret: 'x' }],
      'oauth_apps',
      { integration_name: 'github' },
    ],
  ])('%s', async (_, request, table, where) => {
    const [path, body] = request();
    expect(outcomes(await race(() => bed.api.post(path, body)))).toEqual(oneOf('201'));
    expect(await count(table, where)).toBe(1);
  });

  test('the concurrent connections of a new end user created the end user once', async () => {
    expect(await count('end_users', { external_id: 'new in the race' })).toBe(1);
  });
});

describe('concurrent requests to take one unique name: one succeeds, the others get DUPLICATE', () => {
  test.each<[string, (racer: number) => Promise<string>, object, [string, object]]>([
    [
      'workspaces with a slug',
      async (racer) => {
        const { workspace } = await bed.api.must(201).post(WORKSPACES, { name: 'x', slug: `racer-${racer}` });
        return `${WORKSPACES}/${workspace.id}`;
      },
      { slug: 'taken' },
      ['workspaces', { slug: 'taken' }],
    ],
    [
      'workspace integrations with an alias',
      async (racer) => {
        const { integration } = await bed.api.must(201).post(integrations(), { integrationName: 'datetime', alias: `racer-${racer}` });
        return `${integrations()}/${integration.id}`;
      },
      { alias: 'taken' },
      ['workspace_integrations', { alias: 'taken' }],
    ],
    [
      'partials with a name',
      async (racer) => {
        const body = { workspaceId: world.workspaceId, integrationName: 'kv-store', name: `racer ${racer}`, values: {} };
        return `${PARTIALS}/${(await bed.api.must(201).post(PARTIALS, body)).partial.id}`;
      },
      { name: 'taken' },
      ['partials', { name: 'taken' }],
    ],
    [
      'tools with an alias',
      async (racer) => {
        const tools = `${SERVERS}/${world.oauthServerId}/tools`;
        const body = { integrationName: 'hash-encode', actionName: 'hash', integrationAlias: `tool-${racer}` };
        return `${tools}/${(await bed.api.must(201).post(tools, body)).tool.id}`;
      },
      { integrationAlias: 'tool-taken' },
      ['mcp_tools', { integration_alias: 'tool-taken' }],
    ],
  ])('%s', async (_, make, change, [table, where]) => {
    const paths: string[] = [];
    for (let racer = 0; racer < RACERS; racer += 1) paths.push(await make(racer));
    expect(outcomes(await race((racer) => bed.api.patch(paths[racer]!, change)))).toEqual(oneOf('200'));
    expect(await count(table, where)).toBe(1);
  });
});

describe('concurrent requests for one default all succeed, and one partial becomes the default', () => {
  const makeDefault = (racer: number) =>
    bed.api.post(PARTIALS, {
      ...{ workspaceId: world.workspaceId, integrationName: 'storage', name: `default ${racer}`, values: {}, isDefault: true },
    });
  test('by creating', async () => {
    expect(outcomes(await race(makeDefault))).toEqual(Array(RACERS).fill('201'));
    expect(await count('partials', { integration_name: 'storage', is_default: true })).toBe(1);
  });

  test('by set-default', async () => {
    const ids = await bed.gateway.db('partials').where({ integration_name: 'storage' }).pluck('id');
    const answers = await race((racer) => bed.api.post(`${PARTIALS}/${ids[racer]}/set-default`, { isDefault: true }));
    expect(outcomes(answers)).toEqual(Array(RACERS).fill('200'));
    expect(await count('partials', { integration_name: 'storage', is_default: true })).toBe(1);
  });
});

test('of many new static tokens for a server, only one is valid', async () => {
  const answers = await race(() => bed.api.post(`${SERVERS}/${world.serverId}/regenerate-token`));
  expect(outcomes(answers)).toEqual(Array(RACERS).fill('200'));
  const opened = await Promise.all(answers.map(({ body }) => statusOfToken(body.mcpEndpoint, body.bearerToken)));
  expect(opened.sort()).toEqual([200, ...Array(RACERS - 1).fill(401)]);
});

test('concurrent requests never exceed the quota of servers', async () => {
  const QUOTA = 5;
  const limited = await openApiBed({ QUOTA_MCP_SERVERS: String(QUOTA) });
  try {
    const answers = await race(() => limited.api.post(SERVERS, { name: 'x', workspaceId: limited.workspaceId }));
    const [made, refused] = [Array(QUOTA).fill('201'), Array(RACERS - QUOTA).fill('403 QUOTA_EXCEEDED')];
    expect(outcomes(answers)).toEqual([...made, ...refused]);
    expect((await limited.api.must(200).get(SERVERS)).total).toBe(QUOTA);
  } finally {
    await limited.close();
  }
});

// The order is that of MATRIX: records that other records depend on come last.
test.each(Object.entries(MATRIX).filter(([name]) => name.startsWith('delete')))(
  'concurrent requests to %s: one deletes, the others find nothing',
  async (name, { ids, expect: expected }) => {
    const path = name.split(' ')[1]!.replace(/\{(\w+)\}/g, (_, parameter) => ids!(world)[parameter]!);
    const missing = expected.stranger;
    expect(outcomes(await race(() => bed.api.delete(path)))).toEqual(oneOf('200', missing));
  },
);

async function statusOfToken(endpoint: string, token: string): Promise<number> {
  const headers = {
    ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const answer = await fetch(new URL(new URL(endpoint).pathname, bed.apiUrl), { method: 'POST', headers, body });
  await answer.arrayBuffer();
  return answer.status;
}

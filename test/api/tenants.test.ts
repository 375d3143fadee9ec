import { ROUTES } from '../../api/routes.ts';
import type { Caller } from '../support/caller.ts';
import { aPolicy, aServer, type Tenant } from '../support/tenant.ts';
import { aWorkspace, checkedCaller, checkedTenant, withKey, withWorkspaceKey } from './checked-caller.ts';

/** One record of every kind in one workspace, and the ids by which routes name them. */
interface World {
  tenant: Tenant;
  ids: Record<string, Record<string, string>>;
  /** A body that is right in itself, for the routes that need one. */
  bodies: Record<string, object>;
}

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

async function aWorld(): Promise<World> {
  const tenant = await checkedTenant();
  const { workspaceId, api } = tenant;
  const server = await aServer(tenant, 'CODE', ['kv-store']);
  const { integrations } = await api.must(200).get(`/api/v1/workspaces/${workspaceId}/integrations`);
  const { tool } = await api
    .must(201)
    .post(`/api/v1/mcp/servers/${server.id}/tools`, { integrationName: 'datetime', actionName: 'parse_date' });
  const policy = await aPolicy(tenant, { workspaceId, actionNames: ['put'] });
  const { apiKey } = await api.must(200).post('/api/v1/api-keys', { name: 'In the world' });
  const execute = { workspaceId, integrationName: 'kv-store', actionName: 'put', input: { key: 'a', value: 1 } };
  const { approval } = await api.must(202).post('/api/v1/actions/execute', execute);
  return {
    tenant,
    ids: {
      '/api/v1/api-keys/': { id: apiKey.id },
      '/api/v1/workspaces/': { id: workspaceId, workspaceId },
      '/api/v1/workspaces/{workspaceId}/integrations/': { workspaceId, id: integrations[0].id },
      '/api/v1/mcp/servers/': { id: server.id, toolId: tool.id, alias: 'kv-store' },
      '/api/v1/approval-policies/': { id: policy.id },
      '/api/v1/approvals/': { id: approval.id },
    },
    bodies: {
      'post /api/v1/api-keys': { name: 'x', permissions: { scope: 'workspace', workspaceIds: [workspaceId] } },
      'post /api/v1/workspaces': { name: 'x', slug: 'x' },
      'patch /api/v1/workspaces/{id}': { name: 'x' },
      'post /api/v1/workspaces/{workspaceId}/integrations': { integrationName: 'datetime' },
      'patch /api/v1/workspaces/{workspaceId}/integrations/{id}': { sortOrder: 1 },
      'post /api/v1/mcp/servers': { name: 'x', workspaceId },
      'patch /api/v1/mcp/servers/{id}': { name: 'x' },
      'post /api/v1/mcp/servers/{id}/tools': { integrationName: 'datetime', actionName: 'date_math' },
      'patch /api/v1/mcp/servers/{id}/tools/{toolId}': { sortOrder: 1 },
      'post /api/v1/mcp/servers/{id}/execute-code': { code: 'return 1' },
      'post /api/v1/approval-policies': {
        name: 'x',
        workspaceId,
        mcpServerIds: [server.id],
        workspaceIntegrationIds: [integrations[0].id],
      },
      'patch /api/v1/approval-policies/{id}': { name: 'x' },
      'post /api/v1/approval-policies/test': {
        policy: {},
        context: { workspaceId, source: 'rest', integrationName: 'a', actionName: 'b' },
      },
      'post /api/v1/actions/execute': execute,
    },
  };
}

type Target = (typeof ROUTES)[number];

/** Where a route leads in the world; the longest prefix says which record its ids mean. */
function pathIn(world: World, { path }: Target): string {
  const [, ids = {}] =
    Object.entries(world.ids)
      .filter(([prefix]) => `${path}/`.startsWith(prefix))
      .sort(([a], [b]) => b.length - a.length)[0] ?? [];
  return path.replace(/\{(\w+)\}/g, (_, name) => {
    const id = ids[name];
    if (!id) throw new Error(`the world has nothing for {${name}} of ${path}: add it`);
    return id;
  });
}

function call(world: World, caller: Caller, route: Target, path = pathIn(world, route)) {
  const body = world.bodies[`${route.method} ${route.path}`];
  if (route.body && !body && !route.body.safeParse(undefined).success)
    throw new Error(`the world has no body for ${route.method} ${route.path}: add one`);
  return caller[route.method](path, body);
}

const named = ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const);
const withId = named.filter(([, { path }]) => path.includes('{'));
/** Routes that create in a workspace which the body names. */
const inWorkspace = named.filter(([name]) =>
  [
    'post /api/v1/mcp/servers',
    'post /api/v1/approval-policies',
    'post /api/v1/approval-policies/test',
    'post /api/v1/actions/execute',
    'post /api/v1/api-keys',
  ].includes(name),
);

let world: World;
let stranger: Caller;
let neighbour: Caller;
let locked: Caller;
beforeAll(async () => {
  world = await aWorld();
  stranger = (await checkedTenant()).api;
  neighbour = await withWorkspaceKey(world.tenant, [await aWorkspace(world.tenant, 'next-door')], { decide: true });
  locked = await withKey(world.tenant, { scope: 'workspace', workspaceIds: [] });
});

describe('a key of another organization', () => {
  test.each(withId)('finds nothing at %s, and the answer is that for an unknown and for a malformed id', async (_, route) => {
    const foreign = await call(world, stranger, route);
    const unknown = await call(
      world,
      stranger,
      route,
      route.path.replace(/\{\w+\}/g, route.path.includes('/approvals/') ? 'apr_0000000000000000000000' : UNKNOWN),
    );
    const malformed = await call(world, stranger, route, route.path.replace(/\{\w+\}/g, "no-such-'id"));
    const code = route.notFound ?? 'NOT_FOUND';
    for (const answer of [foreign, unknown, malformed]) expect([answer.status, answer.body.code]).toEqual([404, code]);
    expect(unknown.body.code).toBe(malformed.body.code);
  });

  test.each(inWorkspace)('can make nothing in a foreign workspace: %s', async (_, route) => {
    expect(await call(world, stranger, route)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });

  test('sees none of its records in any list', async () => {
    for (const [path, list] of [
      ['/api/v1/mcp/servers', 'servers'],
      ['/api/v1/approvals', 'approvals'],
      ['/api/v1/approval-policies', 'policies'],
    ] as const) {
      expect((await stranger.must(200).get(path))[list]).toEqual([]);
    }
    const { workspaces } = await stranger.must(200).get('/api/v1/workspaces');
    expect(workspaces.map(({ id }: { id: string }) => id)).not.toContain(world.tenant.workspaceId);
    for (const path of ['/api/v1/mcp/servers', '/api/v1/approval-policies']) {
      expect(await stranger.get(`${path}?workspaceId=${world.tenant.workspaceId}`)).toMatchObject({
        status: 404,
        body: { code: 'NOT_FOUND' },
      });
    }
    expect((await stranger.must(200).get(`/api/v1/approvals?workspaceId=${world.tenant.workspaceId}`)).approvals).toEqual([]);
  });
});

describe('a key of the same organization that reaches other workspaces, or none', () => {
  const scoped = [...withId, ...inWorkspace];
  test.each(scoped)('is refused at %s', async (_, route) => {
    for (const caller of [neighbour, locked])
      expect(await call(world, caller, route)).toMatchObject({ status: 403, body: { code: 'SCOPE_DENIED' } });
  });

  test('gets lists without what is not its own, and is refused a workspace that it names', async () => {
    for (const caller of [neighbour, locked]) {
      expect((await caller.must(200).get('/api/v1/mcp/servers')).total).toBe(0);
      expect((await caller.must(200).get('/api/v1/approvals')).total).toBe(0);
      expect((await caller.must(200).get('/api/v1/approval-policies')).total).toBe(0);
      for (const path of ['/api/v1/mcp/servers', '/api/v1/approval-policies', '/api/v1/approvals']) {
        expect(await caller.get(`${path}?workspaceId=${world.tenant.workspaceId}`)).toMatchObject({
          status: 403,
          body: { code: 'SCOPE_DENIED' },
        });
      }
    }
    expect((await neighbour.must(200).get('/api/v1/workspaces')).workspaces.map(({ slug }: { slug: string }) => slug)).toEqual([
      'next-door',
    ]);
    expect((await locked.must(200).get('/api/v1/workspaces')).workspaces).toEqual([]);
  });
});

test.each(named)('without a key %s answers 401 and nothing else', async (_, route) => {
  const nobody = checkedCaller(world.tenant.apiUrl);
  expect(await call(world, nobody, route)).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
  expect(await call(world, nobody, route, route.path.replace(/\{\w+\}/g, 'x'))).toMatchObject({ status: 401 });
});

test('what is org-wide needs an org-wide key', async () => {
  const here = await withWorkspaceKey(world.tenant, undefined, { decide: true });
  for (const answer of [
    await here.get('/api/v1/api-keys'),
    await here.post('/api/v1/api-keys', { name: 'x' }),
    await here.delete(`/api/v1/api-keys/${here.keyId}`),
    await here.post('/api/v1/workspaces', { name: 'x', slug: 'x-y' }),
    await here.post('/api/v1/approval-policies', { name: 'x' }),
  ]) {
    expect(answer).toMatchObject({ status: 403, body: { code: 'SCOPE_DENIED' } });
  }
});

test('a workspace key works in its own workspace', async () => {
  const here = await withWorkspaceKey(world.tenant);
  const { workspaceId } = world.tenant;
  expect((await here.must(200).get('/api/v1/workspaces')).total).toBe(1);
  expect((await here.must(200).get(`/api/v1/workspaces/${workspaceId}/integrations`)).total).toBe(1);
  expect((await here.must(200).get(`/api/v1/mcp/servers?workspaceId=${workspaceId}`)).total).toBe(1);
  expect((await here.must(200).get('/api/v1/approvals')).total).toBe(1);
  const { policy } = await here.must(200).post('/api/v1/approval-policies', { name: 'Its own', workspaceId, enabled: false });
  await here.must(200).delete(`/api/v1/approval-policies/${policy.id}`);
});

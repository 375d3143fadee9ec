import { createOrg } from '../../../commands/access/create-org.ts';
import { PROP_TYPES } from '../../../integrations/describe-props.ts';
import { callerOf } from '../../support/caller.ts';
import type { ApiBed } from '../api-bed.ts';
import { checkedCaller } from '../checked-caller.ts';
import { openChatBed } from './chat.ts';

const PATH = '/api/v1/integrations';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openChatBed('http://127.0.0.1:1');
});
afterAll(() => bed.close());

test('the catalogue needs no key and lists every integration with its actions on one page', async () => {
  const { integrations, total, registered } = await checkedCaller(bed.apiUrl).must(200).get(PATH);
  expect([total, registered]).toEqual([bed.gateway.catalog.builtIn.list().length, []]);
  expect(integrations.map(({ name }: { name: string }) => name)).toEqual(bed.gateway.catalog.builtIn.list().map(({ name }) => name));
  for (const { actions, triggers } of integrations) {
    expect(Object.keys(actions).length).toBeGreaterThan(0);
    expect(triggers).toEqual({});
    for (const [name, action] of Object.entries<Record<string, object>>(actions)) {
      expect(action.name).toBe(name);
      expect(Object.keys(action.props!)).toEqual(Object.keys((action.inputSchema as { properties: object }).properties));
      for (const { type } of Object.values<{ type: never }>(action.props as never)) expect(PROP_TYPES).toContain(type);
    }
  }
});

test('a summary lists the same integrations, with counts instead of actions', async () => {
  const { integrations, total } = await bed.api.must(200).get(`${PATH}?summary=true`);
  expect(total).toBe(integrations.length);
  const datetime = integrations.find(({ name }: { name: string }) => name === 'datetime');
  expect(datetime).toMatchObject({ actionCount: 4, triggerCount: 0, auth: null, authOptions: [] });
  expect(datetime.actions).toBeUndefined();
});

test('?name= returns one integration with its authentication methods', async () => {
  const { integration } = await bed.api.must(200).get(`${PATH}?name=chat`);
  expect(integration).toMatchObject({
    name: 'chat',
    displayName: 'Chat',
    logoUrl: null,
    categories: ['COMMUNICATION'],
    auth: { type: ['SECRET_TEXT'] },
    authOptions: [{ key: 'token', type: 'SECRET_TEXT', displayName: 'Token', description: 'A token' }],
  });
  expect((await bed.api.must(200).get(`${PATH}?name=chat&summary=true`)).integration.actionCount).toBe(2);
  expect(await bed.api.get(`${PATH}?name=nothing`)).toMatchObject({ status: 404, body: { code: 'INTEGRATION_NOT_FOUND' } });
  expect(await bed.api.get(`${PATH}?name=__proto__`)).toMatchObject({ status: 404, body: { code: 'INTEGRATION_NOT_FOUND' } });
  expect(await bed.api.get(`${PATH}?summary=perhaps`)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
});

test('dynamic inputs are marked, and name the inputs that they depend on', async () => {
  const { props, inputSchema } = (await bed.api.must(200).get(`${PATH}?name=chat`)).integration.actions.send;
  expect(props).toMatchObject({
    team: { type: 'SHORT_TEXT', refreshers: [], required: true },
    channel: { type: 'DROPDOWN', refreshers: ['team'], required: true },
    labels: { type: 'MULTI_SELECT_DROPDOWN', refreshers: [], required: false },
    form: { type: 'DYNAMIC', refreshers: ['channel'], required: false },
    priority: {
      type: 'STATIC_DROPDOWN',
      defaultValue: 'low',
      options: {
        options: [
          { label: 'low', value: 'low' },
          { label: 'high', value: 'high' },
        ],
      },
    },
    settings: { type: 'OBJECT' },
  });
  expect(JSON.stringify(inputSchema)).not.toMatch(/"x-|secret note/);
});

test("`registered` lists integrations with a connection or a tool in the key's organization", async () => {
  const before = await bed.api.must(200).get(`${PATH}?summary=true`);
  expect(before.registered).toEqual([]);
  await bed.api
    .must(201)
    .post('/api/v1/connections', { integrationName: 'chat', externalId: 'chat-main', type: 'SECRET_TEXT', secretText: 'sesame' });
  const { server } = await bed.api.must(201).post('/api/v1/mcp/servers', { name: 'x', workspaceId: bed.workspaceId });
  for (const actionName of ['parse_date', 'date_math'])
    await bed.api.must(201).post(`/api/v1/mcp/servers/${server.id}/tools`, { integrationName: 'datetime', actionName });
  expect((await bed.api.must(200).get(PATH)).registered).toEqual(['chat', 'datetime']);
  expect((await callerOf(bed.apiUrl).must(200).get(PATH)).registered).toEqual([]);
});

test('a request with an invalid credential is refused', async () => {
  for (const authorization of ['Bearer svc_nobody', 'Basic abc', 'Bearer'])
    expect(await checkedCaller(bed.apiUrl).get(PATH, undefined, { authorization })).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHORIZED' },
    });
});

test('an unchanged catalogue answers 304, and the ETag depends on the key', async () => {
  const first = await bed.api.get(PATH);
  const etag = first.headers.get('etag')!;
  expect(etag).toMatch(/^"[\w.-]+"$/);
  expect([first.headers.get('cache-control'), first.headers.get('vary')]).toEqual(['no-cache', 'Authorization, Accept-Encoding']);
  const again = await bed.api.get(PATH, undefined, { 'if-none-match': etag });
  expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, undefined, etag]);
  const { server } = await bed.api.must(201).post('/api/v1/mcp/servers', { name: 'y', workspaceId: bed.workspaceId });
  await bed.api.must(201).post(`/api/v1/mcp/servers/${server.id}/tools`, { integrationName: 'hash-encode', actionName: 'hash' });
  expect((await bed.api.get(PATH, undefined, { 'if-none-match': etag })).status).toBe(200);
  expect((await callerOf(bed.apiUrl).get(PATH)).headers.get('etag')).not.toBe(etag);
  const one = (await callerOf(bed.apiUrl).get(`${PATH}?name=chat`)).headers.get('etag')!;
  expect((await callerOf(bed.apiUrl).get(`${PATH}?name=chat`, undefined, { 'if-none-match': one })).status).toBe(304);
  expect((await callerOf(bed.apiUrl).get(`${PATH}?name=http`, undefined, { 'if-none-match': one })).status).toBe(200);
});

test('oauth-status requires a key, and lists integrations with an OAuth app of the organization', async () => {
  expect((await callerOf(bed.apiUrl).get(`${PATH}/oauth-status`)).status).toBe(401);
  expect(await bed.api.must(200).get(`${PATH}/oauth-status`)).toEqual({ configured: [] });
  const other = await createOrg(bed.gateway, 'Other');
  await callerOf(bed.apiUrl, other.plainKey)
    .must(201)
    .post('/api/v1/oauth-apps', { integrationName: 'slack', clientId: 'client', clientSecret: 'secret' });
  expect(await bed.api.must(200).get(`${PATH}/oauth-status`)).toEqual({ configured: [] });
  expect(await callerOf(bed.apiUrl, other.plainKey).must(200).get(`${PATH}/oauth-status`)).toEqual({ configured: ['slack'] });
});

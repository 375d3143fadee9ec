import { type Fake, openFake } from '../../integrations/providers/provider-bed.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { callServer } from '../oauth/oauth-bed.ts';
import { elicitingClient, sdk1Client } from './eliciting-client.ts';

let bed: ApiBed;
let slack: Fake;
let github: Fake;
beforeAll(async () => {
  [bed, slack, github] = await Promise.all([openApiBed(), openFake('https://slack.com'), openFake('https://api.github.com')]);
});
afterAll(() => Promise.all([bed.close(), slack.close(), github.close()]));

let count = 0;

async function aServer(integrationName: string, fields: object = {}) {
  const make = bed.api.must(201);
  const slug = `helpers-${count++}`;
  const { workspace } = await make.post('/api/v1/workspaces', { name: slug, slug });
  await make.post('/api/v1/end-users', { workspaceId: workspace.id, externalId: 'ada' });
  await make.post(`/api/v1/workspaces/${workspace.id}/integrations`, { integrationName, connectionStrategy: 'per_user', ...fields });
  const server = { name: 'x', workspaceId: workspace.id, authMode: 'bearer', endUserId: 'ada' };
  const made = await make.post('/api/v1/mcp/servers', server);
  const mcpEndpoint = `${bed.apiUrl}${new URL(made.mcpEndpoint).pathname}`;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  const ask = async (method: string, params = {}): Promise<any> => {
    const { body } = await callServer({ mcpEndpoint }, made.bearerToken, method, params);
    return (body as { result: unknown }).result;
  };
  const connect = (secretText: string) => {
    const account = { integrationName, externalId: 'ada', type: 'SECRET_TEXT', secretText, workspaceId: workspace.id, endUserId: 'ada' };
    return make.post('/api/v1/connections', account);
  };
  return {
    workspaceId: workspace.id as string,
    connect,
    at: { url: mcpEndpoint, token: made.bearerToken as string },
    list: async () => (await ask('tools/list')).tools as { name: string; description: string; inputSchema: object; annotations: object }[],
    call: (name: string, args: object = {}) => ask('tools/call', { name, arguments: args }),
  };
}

test('an input with choices has a helper tool that lists the end user’s choices', async () => {
  const server = await aServer('slack', { alias: 'team', enabledActions: ['send_channel_message', 'add_reaction'] });
  const tools = await server.list();
  expect(tools.map(({ name }) => name)).toEqual(['team__add_reaction', 'team__send_channel_message', 'team__list_channels']);
  expect(tools[2]).toMatchObject({
    description: expect.stringContaining('input channel of add_reaction, send_channel_message'),
    inputSchema: { type: 'object', properties: { search: { type: 'string' } }, additionalProperties: false },
    annotations: { readOnlyHint: true, destructiveHint: false },
  });
  await server.connect('xoxb-adas');
  Object.assign(bed.gateway, { outbound: slack.outbound });
  slack.answers({
    body: {
      ok: true,
      channels: [
        { id: 'C1', name: 'general' },
        { id: 'C2', name: 'random' },
      ],
    },
  });
  const listed = await server.call('team__list_channels', { search: 'gen' });
  expect(listed).toMatchObject({ isError: false, structuredContent: { options: [{ label: '#general', value: 'C1' }] } });
  expect(JSON.parse(listed.content[0].text)).toEqual(listed.structuredContent);
  expect(slack.seen.at(-1)).toMatchObject({ headers: { authorization: 'Bearer xoxb-adas' } });
});

test('the error of a helper tool contains the connect link or the unknown inputs', async () => {
  const server = await aServer('slack', { enabledActions: ['send_channel_message'] });
  const refused = await server.call('slack__list_channels');
  expect(refused).toMatchObject({ isError: true, structuredContent: { error: { code: 'CONNECTION_REQUIRED' } } });
  expect(refused.content[0].text).toMatch(/\/connect\/portal\?token=eut_/);
  const wrong = await server.call('slack__list_channels', { find: 'x' });
  expect(wrong).toMatchObject({ isError: true, structuredContent: { error: { code: 'VALIDATION_ERROR' } } });
  expect(wrong.content[0].text).toContain('find');
});

test.each([
  ['1.x', sdk1Client],
  ['2.x', elicitingClient],
])('the client of SDK %s accepts choices and failures of a helper tool as valid output', async (_, open) => {
  const server = await aServer('slack', { enabledActions: ['send_channel_message'] });
  const client = await open(server.at);
  const { tools } = await client.listTools();
  expect(tools.map(({ name, outputSchema }) => [name, outputSchema?.anyOf])).toEqual([
    ['slack__send_channel_message', undefined],
    ['slack__list_channels', [{ required: ['options'] }, { required: ['error'] }]],
  ]);
  const list = () => client.callTool({ name: 'slack__list_channels', arguments: {} });
  expect(await list()).toMatchObject({ isError: true, structuredContent: { error: { code: 'CONNECTION_REQUIRED' } } });
  await server.connect('xoxb-adas');
  Object.assign(bed.gateway, { outbound: slack.outbound });
  slack.answers({ body: { ok: true, channels: [{ id: 'C1', name: 'general' }] } });
  expect(await list()).toMatchObject({ isError: false, structuredContent: { options: [{ label: '#general', value: 'C1' }] } });
  await client.close();
});

test('the helper tool’s name gets a hash if an action has the same name', async () => {
  const server = await aServer('slack');
  const named = (await server.list()).filter(({ name }) => name.startsWith('slack__list_channels'));
  expect(named.map(({ name }) => name)).toEqual(['slack__list_channels', expect.stringMatching(/^slack__list_channels_[0-9a-f]{8}$/)]);
  expect(named[1]!.description).toContain('input channel');
});

test('choices that depend on other inputs require these inputs and use preset ones', async () => {
  const server = await aServer('github', { enabledActions: ['create_branch', 'create_pull_request'] });
  const helper = (await server.list()).find(({ name }) => name === 'github__list_bases');
  expect(helper?.inputSchema).toMatchObject({ required: ['owner', 'repo'], properties: { owner: {}, repo: {}, search: {} } });
  const partial = { workspaceId: server.workspaceId, integrationName: 'github', name: 'ours', enforcedKeys: ['owner'], isDefault: true };
  await bed.api.must(201).post('/api/v1/partials', { ...partial, values: { owner: 'acme' } });
  const tools = await server.list();
  expect(tools.map(({ name }) => name)).not.toContain('github__list_owners');
  expect(tools.find(({ name }) => name === 'github__list_bases')?.inputSchema).toMatchObject({ required: ['repo'] });
  await server.connect('ghp_adas');
  Object.assign(bed.gateway, { outbound: github.outbound });
  github.answers({ body: [{ name: 'main' }] });
  const { structuredContent } = await server.call('github__list_bases', { repo: 'site' });
  expect(structuredContent).toEqual({ options: [{ label: 'main', value: 'main' }] });
  expect(github.seen.at(-1)?.url).toMatch(/^\/repos\/acme\/site\/branches/);
});

test('if actions list different choices under one name, the caller must name the action', async () => {
  const server = await aServer('openai', { enabledActions: ['create_embedding', 'chat_completion', 'generate_image'] });
  const helper = (await server.list()).find(({ name }) => name === 'openai__list_models');
  expect(helper?.inputSchema).toMatchObject({ required: ['action'], properties: { action: { enum: expect.any(Array) } } });
  const refused = await server.call('openai__list_models');
  expect(refused.content[0].text).toMatch(/action/);
});

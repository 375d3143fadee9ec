import type { Caller } from '../../support/caller.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';

const SERVERS = '/api/v1/mcp/servers';
const PARSE = { integrationName: 'datetime', actionName: 'parse_date' };
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

let bed: ApiBed;
let api: Caller;
beforeAll(async () => {
  bed = await openApiBed();
  api = bed.api;
});
afterAll(() => bed.close());

async function aServer(workspaceId = bed.workspaceId) {
  const { server } = await api.must(201).post(SERVERS, { name: 'x', workspaceId });
  return `${SERVERS}/${server.id}/tools`;
}

const aConnection = async (fields: object) =>
  (
    await api
      .must(201)
      .post('/api/v1/connections', { type: 'SECRET_TEXT', integrationName: 'mail', externalId: 'main', secretText: 's3cret', ...fields })
  ).connection;

const UP_TO_100 = (length: number) => Array.from({ length }, () => UNKNOWN);
test.each<[string, unknown, number, string | undefined]>([
  ['integrationAlias', 'a', 201, undefined],
  ['integrationAlias', `a${'-'.repeat(63)}`, 201, undefined],
  ['integrationAlias', `a${'-'.repeat(64)}`, 400, 'VALIDATION_ERROR'],
  ['integrationAlias', '', 400, 'VALIDATION_ERROR'],
  ['integrationAlias', '1a', 400, 'VALIDATION_ERROR'],
  ['integrationAlias', 'a\n', 400, 'VALIDATION_ERROR'],
  ['displayName', 'x'.repeat(200), 201, undefined],
  ['displayName', 'x'.repeat(201), 400, 'VALIDATION_ERROR'],
  ['description', 'x'.repeat(2000), 201, undefined],
  ['description', 'x'.repeat(2001), 400, 'VALIDATION_ERROR'],
  ['partialIds', UP_TO_100(100), 404, 'PARTIAL_NOT_FOUND'],
  ['partialIds', UP_TO_100(101), 400, 'VALIDATION_ERROR'],
  ['partialIds', null, 400, 'VALIDATION_ERROR'],
  ['connectionId', 'main', 400, 'VALIDATION_ERROR'],
  ['inputDefaults', null, 400, 'VALIDATION_ERROR'],
])('%s %j answers status %i', async (field, value, status, code) => {
  const answer = await api.post(await aServer(), { ...PARSE, [field]: value });
  expect([answer.status, answer.body.code]).toEqual([status, code]);
});

test('a tool can have a connection that its integration and workspace can use', async () => {
  const tools = await aServer();
  const { workspace } = await api.must(201).post('/api/v1/workspaces', { name: 'x', slug: 'elsewhere' });
  const [shared, foreign] = [await aConnection({}), await aConnection({ scope: 'WORKSPACE', workspaceId: workspace.id })];
  const send = { integrationName: 'mail', actionName: 'send' };
  const { tool } = await api.must(201).post(tools, { ...send, connectionId: shared.id });
  expect(tool.connectionId).toBe(shared.id);
  const path = `${tools}/${tool.id}`;
  for (const connectionId of [foreign.id, UNKNOWN])
    expect(await api.patch(path, { connectionId })).toMatchObject({ status: 404, body: { code: 'CONNECTION_NOT_FOUND' } });
  expect(await api.post(tools, { ...PARSE, connectionId: shared.id })).toMatchObject({
    status: 404,
    body: { code: 'CONNECTION_NOT_FOUND' },
  });
  expect((await api.must(200).patch(path, { connectionId: null })).tool.connectionId).toBeNull();
  await api.must(201).post(await aServer(workspace.id), { ...send, connectionId: foreign.id });
});

test('tools are listed by sortOrder, then alias and action', async () => {
  const tools = await aServer();
  for (const [integrationAlias, actionName, sortOrder] of [
    ['b', 'parse_date', 0],
    ['a', 'parse_date', 0],
    ['a', 'date_math', 0],
    ['c', 'parse_date', -1],
    ['d', 'parse_date', 0.5],
  ])
    await api.must(201).post(tools, { ...PARSE, integrationAlias, actionName, sortOrder });
  const { tools: listed } = await api.must(200).get(tools.replace('/tools', ''));
  expect(listed.map((tool: Record<string, string>) => `${tool.integrationAlias}.${tool.actionName}`)).toEqual([
    'c.parse_date',
    'a.date_math',
    'a.parse_date',
    'b.parse_date',
    'd.parse_date',
  ]);
});

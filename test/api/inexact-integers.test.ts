import { ROUTES } from '../../api/routes.ts';
import type { Tenant } from '../support/tenant.ts';
import { checkedTenant } from './checked-caller.ts';
import { addIntegration, anOrg, aServer, type TestServer } from './mcp/mcp-bed.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';
const INEXACT = '9007199254740993';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await checkedTenant();
});

const put = (value: string) => {
  const call = { integrationName: 'kv-store', actionName: 'put', workspaceId: tenant.workspaceId };
  return tenant.api.post(
    '/api/v1/actions/execute',
    `${JSON.stringify(call).slice(0, -1)},"endUserId":"u","input":{"key":"k","value":${value}}}`,
  );
};

test.each(ROUTES.filter(({ method }) => method !== 'get').map((route) => [route.method, route.path, route] as const))(
  "%s %s refuses an integer that would lose precision, and names the integer's path",
  async (method, path, { invalid = 'VALIDATION_ERROR' }) => {
    const inPath = path.replace('{workspaceId}', tenant.workspaceId).replace(/\{\w+\}/g, NOBODY);
    const answer = await tenant.api[method](inPath, `{"metadata":{"list":[1,{"id":${INEXACT}}]}}`, { 'content-type': 'application/json' });
    expect(answer).toMatchObject({ status: 400, body: { code: invalid, details: { issues: [{ path: 'metadata.list.1.id' }] } } });
    expect(answer.body.error).toContain('it would become 9007199254740992');
  },
);

test.each([
  '9007199254740993',
  '-9007199254740993',
  '9007199254740993e0',
  '9007199254740993.0',
  '12345678901234567890',
  `[{"a":[${INEXACT}]}]`,
  `{"\\"":${INEXACT}}`,
  '1e400',
])('%s is refused, because it would be stored as another number', async (value) => {
  const answer = await put(value);
  expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  expect(answer.body.details.issues[0].path).toMatch(/^input\.value/);
});

test.each([
  '9007199254740992',
  '1152921504606846976',
  '100000000000000000000',
  '1e20',
  '0.1',
  `"${INEXACT}"`,
  `{"${INEXACT}":1}`,
  `"\\"${INEXACT}"`,
  `{"a":${'9'.repeat(309)},"a":1}`,
])('%s is stored unchanged', async (value) => {
  expect((await put(value)).status).toBe(200);
  const call = { integrationName: 'kv-store', actionName: 'get', workspaceId: tenant.workspaceId, endUserId: 'u', input: { key: 'k' } };
  expect((await tenant.api.must(200).post('/api/v1/actions/execute', call)).output.value).toEqual(JSON.parse(value));
});

describe('over MCP', () => {
  let tools: TestServer;
  beforeAll(async () => {
    const org = await anOrg();
    await addIntegration(org, 'kv-store', { settings: { persistence: { scope: 'workspace' } } });
    tools = await aServer(org, 'TOOLS');
  });

  test('a tool call with an inexact integer gets an error result that the agent can read', async () => {
    const params = `{"name":"kv-store__put","arguments":{"key":"k","value":{"id":${INEXACT}}}}`;
    const { status, body } = await tools.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`);
    expect([status, body.result.isError]).toEqual([200, true]);
    expect(body.result.content[0].text).toContain('value.id: is an integer that cannot be read exactly');
    expect(body.result.structuredContent.error).toMatchObject({ code: 'VALIDATION_ERROR', details: { issues: [{ path: 'value.id' }] } });
    expect((await tools.call('kv-store__get', { key: 'k' })).structuredContent.found).toBe(false);
  });

  test.each([
    ['the id of a message', `{"jsonrpc":"2.0","id":${INEXACT},"method":"ping"}`, 'id'],
    [
      'a message of a batch',
      `[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":${INEXACT}}}}]`,
      '0.params.arguments.a',
    ],
    [
      'the _meta of a call',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"a":${INEXACT}}}}`,
      'params._meta.a',
    ],
  ])('%s is refused before the message is processed', async (_, message, path) => {
    expect(await tools.post(message)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR', details: { issues: [{ path }] } } });
  });
});

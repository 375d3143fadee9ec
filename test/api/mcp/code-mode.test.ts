import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { addIntegration, addPolicy, anOrg, aServer, type Org, type TestServer } from './mcp-bed.ts';

let org: Org;
let server: TestServer;
beforeAll(async () => {
  org = await anOrg();
  await addIntegration(org, 'hash-encode', { alias: 'my-hash' });
  await addIntegration(org, 'kv-store', { settings: { persistence: { scope: 'workspace' } } });
  await addPolicy(org, { integrationNames: ['kv-store'], actionNames: ['put'] });
  server = await aServer(org, 'CODE');
});

test('a CODE server has exactly three tools, with the same short descriptions for every catalogue', async () => {
  const { tools } = (await server.rpc('tools/list')).body.result;
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(['svc_search', 'svc_read_api', 'svc_execute']);
  expect(JSON.stringify(tools).length).toBeLessThan(900 * 4);
  const empty = await aServer(await anOrg(), 'CODE');
  expect((await empty.rpc('tools/list')).body.result.tools).toEqual(tools);
});

test('actions are not tools of a CODE server', async () => {
  expect((await server.rpc('tools/call', { name: 'my-hash__hash', arguments: { text: 'a' } })).body.error.code).toBe(-32602);
});

test('svc_search finds actions by intent and marks actions that may require approval', async () => {
  const { structuredContent: everything } = await server.call('svc_search');
  expect(everything).toMatchObject({ total: 9, truncated: false });
  const { structuredContent: found } = await server.call('svc_search', { query: 'store a value under a key', alias: 'kv-store' });
  expect(found.integrations).toHaveLength(1);
  expect(found.integrations[0]).toMatchObject({ alias: 'kv-store', integrationName: 'kv-store', displayName: 'State KV', connected: true });
  const flags = Object.fromEntries(
    found.integrations[0].actions.map((action: { actionName: string; approval: boolean }) => [action.actionName, action.approval]),
  );
  expect(flags).toMatchObject({ put: true });
  expect((await server.call('svc_search', { query: 'get', limit: 1 })).structuredContent.integrations[0].actions[0]).toEqual({
    functionName: 'get',
    actionName: 'get',
    description: expect.any(String),
    signature: expect.stringContaining('svc.kv_store.get('),
    hiddenKeys: [],
    approval: false,
  });
});

test('an empty search result has the normal shape and suggestions', async () => {
  const { structuredContent, content } = await server.call('svc_search', { query: 'zzz' });
  expect(structuredContent).toEqual({ integrations: [], total: 0, truncated: false });
  expect(content.map(({ text }: { text: string }) => text)).toEqual([
    JSON.stringify(structuredContent),
    expect.stringContaining('plain JavaScript'),
  ]);
});

test('svc_read_api declares the functions that code can call, for both spellings of an alias', async () => {
  for (const alias of ['my-hash', 'my_hash']) {
    const { structuredContent, content } = await server.call('svc_read_api', { alias, actions: ['hash', 'encode'] });
    expect(structuredContent.declarations).toBe(content[0].text);
    expect(structuredContent.declarations).toMatch(/my_hash: \{.*encode\(input: .*hash\(input: /s);
    expect(structuredContent.declarations).not.toContain('generate_uuid');
  }
  const both = await server.call('svc_read_api', { aliases: ['my-hash', 'kv-store'], detail: 'full' });
  expect(both.structuredContent.declarations).toMatch(/my_hash.*kv_store/s);
});

test.each([
  ['svc_read_api', {}, /missing key "alias".*in aliases\.$/],
  ['svc_read_api', { action: 'put' }, /missing key "alias".* "put" is in kv-store\.$/],
  ['svc_read_api', { actions: ['hash', 'nope'] }, /missing key "alias".* "hash" is in my-hash\. No alias has an action "nope"/],
  ['svc_read_api', { alias: 'nope' }, /no alias "nope" here\. There are: .*kv-store/],
  ['svc_read_api', { alias: 'kv-store', action: 'nope' }, /no action "nope".*put/],
  ['svc_search', { limit: 0, sort: 'up' }, /limit: .*unknown key "sort"/s],
  ['svc_execute', {}, /INVALID_CODE_EXECUTE_REQUEST.*exactly one of code and approvalId/s],
  ['svc_execute', { code: 'return 1', waitForApprovalSeconds: 61 }, /INVALID_CODE_EXECUTE_REQUEST.*waitForApprovalSeconds/s],
  ['svc_execute', { approvalId: 'apr_nope' }, /APPROVAL_NOT_FOUND/],
])('%s explains the error in invalid arguments', async (name, input, words) => {
  const { isError, content } = await server.call(name, input);
  expect(isError).toBe(true);
  expect(content[0].text).toMatch(words);
});

test('svc_execute runs code that calls actions, and returns the same answer as REST', async () => {
  const code = 'const { digest } = await svc.my_hash.hash({ text: "a" }); console.log("done"); return digest.slice(0, 4);';
  const result = await server.call('svc_execute', { code });
  expect(result).toMatchObject({
    isError: false,
    structuredContent: { status: 'executed', output: 'ca97', actionsExecuted: 1, logs: [{ level: 'log', message: 'done' }] },
  });
  const { body } = await org.rest('POST', `/mcp/servers/${server.id}/execute-code`, { code });
  expect(Object.keys(body.structuredContent)).toEqual(Object.keys(result.structuredContent));
  expect(body.content).toEqual(result.content);
});

test("a failed run is a result with the error and the error's position", async () => {
  const { isError, structuredContent } = await server.call('svc_execute', { code: 'const a = 1;\nthrow new Error("no luck");' });
  expect(isError).toBe(true);
  expect(structuredContent).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('no luck'), line: 2 } });
});

test('a run pauses at a call that needs approval; after the approval, the client can continue the run', async () => {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: { Authorization: `Bearer ${server.token}` } } }),
  );
  const execute = async (input: object) =>
    (await client.callTool({ name: 'svc_execute', arguments: { ...input } })).structuredContent as {
      status: string;
      continuation: { arguments: { approvalId: string } };
    };

  const paused = await execute({
    code: 'await svc.kv_store.put({ key: "a", value: 1 }); return (await svc.kv_store.get({ key: "a" })).value;',
  });
  expect(paused).toMatchObject({
    status: 'approval_required',
    view: 'approval_required',
    approval: { id: expect.stringMatching(/^apr_/) },
    continuation: { tool: 'svc_execute', arguments: { approvalId: expect.any(String) } },
  });
  const next = paused.continuation.arguments;
  expect((await execute(next)).status).toBe('approval_pending');
  expect((await org.rest('POST', `/approvals/${next.approvalId}/approve`)).status).toBe(200);
  expect(await execute(next)).toMatchObject({ status: 'executed', output: 1, actionsExecuted: 2 });
  expect(await execute(next)).toMatchObject({ status: 'executed', output: 1 });
  await client.close();
});

test('errors of calls in code do not mention preset inputs', async () => {
  const other = await anOrg();
  const mine = await aServer(other, 'CODE');
  const presets = { integrationName: 'hash-encode', actionName: 'encode', integrationAlias: 'ink', inputDefaults: { encoding: 'hex' } };
  await other.rest('POST', `/mcp/servers/${mine.id}/tools`, presets);
  const { structuredContent } = await mine.call('svc_execute', { code: 'await svc.ink.encode({ txt: "hi" })' });
  expect(structuredContent.error.message).toContain('unknown key "txt"; the keys are text');
  expect(JSON.stringify(structuredContent)).not.toContain('encoding');
});

test('declarations over REST omit preset inputs; unknown aliases and TOOLS servers are refused', async () => {
  const other = await anOrg();
  const mine = await aServer(other, 'CODE');
  const presets = { integrationName: 'hash-encode', actionName: 'encode', integrationAlias: 'ink', inputDefaults: { encoding: 'hex' } };
  expect((await other.rest('POST', `/mcp/servers/${mine.id}/tools`, presets)).status).toBe(201);
  const { status, body } = await other.rest('GET', `/mcp/servers/${mine.id}/declarations/ink`);
  expect(status).toBe(200);
  expect(body).toEqual({ declarations: expect.stringMatching(/declare const svc: \{.*ink: \{.*encode\(input: \{.*text: string/s) });
  expect(body.declarations).not.toMatch(/encoding\??: "/);

  const tools = await aServer(other, 'TOOLS');
  const codes = await Promise.all(
    [`${mine.id}/declarations/nope`, `${server.id}/declarations/my-hash`, `${tools.id}/declarations/ink`].map(async (path) => {
      const { status, body } = await other.rest('GET', `/mcp/servers/${path}`);
      return [status, body.code];
    }),
  );
  expect(codes).toEqual([
    [404, 'NOT_FOUND'],
    [404, 'NOT_FOUND'],
    [409, 'MCP_CODE_MODE_REQUIRED'],
  ]);
});

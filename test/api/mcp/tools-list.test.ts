import { addIntegration, addPolicy, anOrg, aServer } from './mcp-bed.ts';

interface Listed {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: string; properties: Record<string, { enum?: string[] }>; required?: string[] };
  outputSchema?: object;
  annotations: Record<string, unknown>;
}

const list = async (server: Awaited<ReturnType<typeof aServer>>): Promise<Listed[]> => (await server.rpc('tools/list')).body.result.tools;

test('every enabled action is a tool with a JSON Schema, and with annotations from its category', async () => {
  const org = await anOrg();
  await addIntegration(org, 'kv-store', {
    alias: 'notes',
    enabledActions: ['get', 'delete'],
    settings: { persistence: { scope: 'workspace' } },
  });
  const tools = await list(await aServer(org));
  expect(tools.map(({ name }) => name)).toEqual(['notes__delete', 'notes__get']);
  const [remove, get] = tools;
  expect(get).toMatchObject({
    inputSchema: { type: 'object', required: ['key'] },
    annotations: { readOnlyHint: true, destructiveHint: false },
  });
  expect(remove!.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  expect(get!.inputSchema.properties).toHaveProperty('key');
});

test('preset inputs are not listed or required, and apply to calls of the tool', async () => {
  const org = await anOrg();
  const server = await aServer(org);
  const { status } = await org.rest('POST', `/mcp/servers/${server.id}/tools`, {
    integrationName: 'hash-encode',
    actionName: 'encode',
    integrationAlias: 'secret-ink',
    displayName: 'Write it secretly',
    description: 'In base64',
    inputDefaults: { encoding: 'base64' },
  });
  expect(status).toBe(201);
  const [tool] = await list(server);
  expect(tool).toMatchObject({ name: 'secret-ink__encode', title: 'Write it secretly', description: 'In base64' });
  expect(Object.keys(tool!.inputSchema.properties)).toEqual(['text']);
  expect(tool!.inputSchema.required).toEqual(['text']);
  expect((await server.call('secret-ink__encode', { text: 'hi' })).structuredContent).toMatchObject({ encoded: 'aGk=' });
});

test('errors of a call mention preset inputs only if the caller sent these inputs', async () => {
  const org = await anOrg();
  const server = await aServer(org);
  const preset = (integrationAlias: string, inputDefaults: object) =>
    org.rest('POST', `/mcp/servers/${server.id}/tools`, {
      integrationName: 'hash-encode',
      actionName: 'encode',
      integrationAlias,
      inputDefaults,
    });
  await preset('ink', { encoding: 'base64' });
  await preset('blot', { encoding: 'no such encoding' });
  const issuesOf = async (name: string, input: object) =>
    (await server.call(name, input)).structuredContent.error.details.issues as { path: string; message: string }[];
  expect(await issuesOf('ink__encode', { txt: 'hi' })).toEqual([
    { path: 'text', message: 'missing key "text": expects a string' },
    { path: 'txt', message: 'unknown key "txt"; the keys are text' },
  ]);
  expect(JSON.stringify(await issuesOf('blot__encode', { text: 'hi' }))).not.toContain('encoding');
  expect(await issuesOf('ink__encode', { text: 'hi', encoding: 5 })).toMatchObject([{ path: 'encoding' }]);
});

test('a change of the workspace appears in the next listing', async () => {
  const org = await anOrg();
  const server = await aServer(org);
  expect(await list(server)).toEqual([]);
  const instance = await addIntegration(org, 'hash-encode', { alias: 'tools' });
  expect((await list(server)).map(({ name }) => name)).toContain('tools__hash');
  await org.rest('PATCH', `/workspaces/${org.workspaceId}/integrations/${instance.id}`, { enabledActions: ['decode'] });
  expect((await list(server)).map(({ name }) => name)).toEqual(['tools__decode']);
  await org.rest('DELETE', `/workspaces/${org.workspaceId}/integrations/${instance.id}`);
  expect(await list(server)).toEqual([]);
});

test('no action declares an output schema, because an answer that asks for approval would violate it', async () => {
  const org = await anOrg();
  await addIntegration(org, 'datetime');
  const server = await aServer(org);
  const before = await list(server);
  await addPolicy(org, { integrationNames: ['datetime'] });
  expect(await list(server)).toEqual(before);
  expect(before.every((tool) => tool.outputSchema === undefined)).toBe(true);
});

test('an invalid cursor answers the error -32602, on new and old revisions', async () => {
  const server = await aServer(await anOrg());
  for (const cursor of ['', 'x', 5, null, {}]) {
    expect((await server.rpc('tools/list', { cursor })).body.error).toMatchObject({ code: -32602 });
    const meta = (name: string) => `io.modelcontextprotocol/${name}`;
    const _meta = {
      [meta('protocolVersion')]: '2026-07-28',
      [meta('clientCapabilities')]: {},
      [meta('clientInfo')]: { name: 'a', version: '1' },
    };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list', accept: 'application/json, text/event-stream' };
    expect((await server.rpc('tools/list', { cursor, _meta }, { headers })).body.error).toMatchObject({ code: -32602 });
  }
});

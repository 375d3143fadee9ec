import { addIntegration, anOrg, aServer, type TestServer } from './mcp-bed.ts';

let tools: TestServer;
let code: TestServer;
beforeAll(async () => {
  const org = await anOrg();
  await addIntegration(org, 'hash-encode');
  await addIntegration(org, 'kv-store', { settings: { persistence: { scope: 'workspace' } } });
  [tools, code] = await Promise.all([aServer(org, 'TOOLS'), aServer(org, 'CODE')]);
});

const call = (name: unknown, input: unknown) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } });
const modern = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };

const BODIES: [string, unknown][] = [
  ['an empty body', ''],
  ['half a message', '{"jsonrpc":'],
  ['null', 'null'],
  ['a number', '5'],
  ['an empty batch', '[]'],
  ['a batch of invalid entries', '[null,[],{}]'],
  ['a batch of 101', Array.from({ length: 101 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }))],
  ['deeply nested lists', '['.repeat(5000) + ']'.repeat(5000)],
  ['more than a megabyte', call('hash-encode__hash', { text: 'x'.repeat(1024 * 1024) })],
  ['an object as id', { jsonrpc: '2.0', id: {}, method: 'ping' }],
  ['null as id', { jsonrpc: '2.0', id: null, method: 'ping' }],
  ['a message without a version', { id: 1, method: 'ping' }],
  ['a method named like a property of Object', { jsonrpc: '2.0', id: 1, method: '__proto__' }],
  ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'tools/destroy' }],
  ['a call without params', { jsonrpc: '2.0', id: 1, method: 'tools/call' }],
  ['a number as name', call(5, {})],
  ['a list as arguments', call('hash-encode__hash', [1])],
  [
    'a prototype in the arguments',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hash-encode__hash","arguments":{"__proto__":{"text":"a"}}}}',
  ],
  ['NUL and half a surrogate pair', call('kv-store__put', { key: '\u0000', value: '\ud800' })],
  [
    'a number that overflows',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"kv-store__put","arguments":{"key":"a","value":1e400}}}',
  ],
  ['code that computes an overflowing number', call('svc_execute', { code: 'return await svc.kv_store.put({ key: "a", value: 1e400 })' })],
  ['NUL alone', call('kv-store__put', { key: '\u0000', value: '\u0000' })],
  ['initialize with invalid parameters', { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: {}, capabilities: 5 } }],
  [
    'initialize in a batch',
    [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} },
      { jsonrpc: '2.0', id: 2, method: 'ping' },
    ],
  ],
  ['an envelope without the required headers', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: modern } }],
  [
    'an invalid envelope',
    { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: { ...modern, 'io.modelcontextprotocol/protocolVersion': [] } } },
  ],
  ['invalid arguments for svc_search', call('svc_search', { query: 5, limit: -1, more: true })],
  ['invalid arguments for svc_read_api', call('svc_read_api', { alias: 'a', aliases: ['b'], detail: 'all' })],
  ['invalid arguments for svc_execute', call('svc_execute', { code: 'return 1', approvalId: 'apr_x' })],
  ['an unknown approval', call('svc_execute', { approvalId: "apr_'; drop table approvals" })],
];

test.each(BODIES)('%s gets no 5xx and no stack trace, on TOOLS and CODE servers', async (_, body) => {
  for (const server of [tools, code]) {
    const answer = await server.post(body);
    expect(answer.status).toBeLessThan(500);
    const text = JSON.stringify(answer.body ?? {});
    expect(text).not.toMatch(/node_modules|\.ts:\d|Something went wrong/);
  }
});

test.each([
  ['a wrong content type', { 'content-type': 'text/plain' }],
  ['an unknown protocol version', { 'mcp-protocol-version': '1999-01-01' }],
])('%s gets a 4xx', async (_, headers) => {
  const { status } = await tools.rpc('tools/list', {}, { headers });
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
});

test('answers do not quote the values of arguments', async () => {
  const secret = 'correct-horse-battery-staple';
  const answers = await Promise.all([
    tools.post(call('hash-encode__hash', { text: 5, secret })),
    tools.post(call('hash-encode__hash', { algorithm: secret, text: 'x' })),
    tools.post(call('nope', { secret })),
    code.post(call('svc_search', { query: secret, limit: 0 })),
  ]);
  for (const { body } of answers) expect(JSON.stringify(body)).not.toContain(secret);
});

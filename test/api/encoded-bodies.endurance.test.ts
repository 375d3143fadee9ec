import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { type ApiBed, openApiBed } from './api-bed.ts';

let bed: ApiBed;
let bombs: Server;
let bombUrl: string;
beforeAll(async () => {
  bed = await openApiBed();
  const blocks = Buffer.alloc(50_000_000, Buffer.from([0, 0, 0, 255, 255]));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 3 };
  const bomb = brotliCompressSync(Buffer.concat([gzipSync('').subarray(0, 10), blocks]), { params });
  bombs = createServer((_, response) => response.writeHead(200, { 'content-encoding': 'gzip, br', 'content-type': 'text/html' }).end(bomb));
  bombs.listen(0, '127.0.0.1');
  await once(bombs, 'listening');
  bombUrl = `http://127.0.0.1:${(bombs.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  bombs.close();
  bombs.closeAllConnections();
  await bed.close();
});

/** Sends a request with exactly these header lines. */
async function post(path: string, headers: string[], body: Buffer): Promise<[number, string]> {
  const { hostname, port } = new URL(bed.apiUrl);
  const socket = connect(Number(port), hostname);
  const lines = [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', `Content-Length: ${body.length}`, ...headers, '', ''];
  socket.write(Buffer.concat([Buffer.from(lines.join('\r\n')), body]));
  const answer = await text(socket);
  return [Number(answer.split(' ')[1]), /"code":"(\w+)"/.exec(answer)?.[1] ?? ''];
}

const BODY = Buffer.from('{"name":"x","slug":"encoded"}');

test.each<[string, string[], Buffer]>([
  ['gzip', ['Content-Encoding: gzip'], gzipSync(BODY)],
  ['GZIP', ['Content-Encoding: GZIP'], gzipSync(BODY)],
  ['x-gzip', ['Content-Encoding: x-gzip'], gzipSync(BODY)],
  ['deflate', ['Content-Encoding: deflate'], deflateSync(BODY)],
  ['br', ['Content-Encoding: br'], brotliCompressSync(BODY)],
  ['zstd', ['Content-Encoding: zstd'], zstdCompressSync(BODY)],
  ['gzip, br', ['Content-Encoding: gzip, br'], brotliCompressSync(gzipSync(BODY))],
  ['identity and gzip', ['Content-Encoding: identity, gzip'], gzipSync(BODY)],
  ['two headers', ['Content-Encoding: identity', 'Content-Encoding: gzip'], gzipSync(BODY)],
  ['an unknown encoding', ['Content-Encoding: rot13'], BODY],
  ['an encoding of an empty body', ['Content-Encoding: gzip'], Buffer.alloc(0)],
])('a body with %s is refused over REST, over MCP and on pages', async (_, encoding, body) => {
  await bed.api.post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, { integrationName: 'datetime' });
  const { server, bearerToken } = await bed.api
    .must(201)
    .post('/api/v1/mcp/servers', { name: 'Agent', workspaceId: bed.workspaceId, authMode: 'bearer' });
  const json = ['Content-Type: application/json', 'Accept: application/json, text/event-stream', ...encoding];
  const key = `Authorization: Bearer ${bed.plainKey}`;
  const refused = [415, 'UNSUPPORTED_MEDIA_TYPE'];
  for (const path of ['/api/v1/workspaces', '/api/v1/actions/execute', '/api/v1/approval-policies'])
    expect([path, await post(path, [key, ...json], body)]).toEqual([path, refused]);
  expect(await post(`/mcp/srv_${server.id}`, [`Authorization: Bearer ${bearerToken}`, ...json], body)).toEqual(refused);
  const form = ['Content-Type: application/x-www-form-urlencoded', 'Sec-Fetch-Site: same-origin', ...encoding];
  const policy = { name: 'Ask', integrationNames: ['hash-encode'], decision: 'require_approval' };
  const { id } = (await bed.api.must(200).post('/api/v1/approval-policies', policy)).policy;
  const call = { integrationName: 'hash-encode', actionName: 'encode', input: { text: encoding.join(), encoding: 'hex' } };
  const { approval } = await bed.api.must(202).post('/api/v1/actions/execute', { workspaceId: bed.workspaceId, ...call });
  expect((await post(new URL(approval.hostedApprovalUrl).pathname, form, body))[0]).toBe(415);
  await bed.api.must(200).delete(`/api/v1/approval-policies/${id}`);
});

test('a plain body can declare the encoding identity', async () => {
  const headers = [`Authorization: Bearer ${bed.plainKey}`, 'Content-Type: application/json', 'Content-Encoding: Identity'];
  expect((await post('/api/v1/workspaces', headers, BODY))[0]).toBe(201);
});

test.each([
  ['http', 'send_request', { method: 'GET' }],
  ['graphql', 'send_request', { query: '{ a }' }],
  ['web-reader', 'fetch_as_text', {}],
  ['web-reader', 'extract_structured_data', {}],
])('%s.%s refuses a doubly encoded answer without decoding it', async (integrationName, actionName, input) => {
  const before = process.cpuUsage();
  const call = { workspaceId: bed.workspaceId, integrationName, actionName, input: { url: bombUrl, ...input } };
  expect(await bed.api.post('/api/v1/actions/execute', call)).toMatchObject({
    status: 400,
    body: { code: 'ACTION_FAILED', error: expect.stringMatching(/more than one Content-Encoding/) },
  });
  const { user, system } = process.cpuUsage(before);
  expect(user + system).toBeLessThan(2_000_000);
});

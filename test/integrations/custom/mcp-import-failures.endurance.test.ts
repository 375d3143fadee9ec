import { afterEach, describe, expect, test } from '@jest/globals';
import { openOutbound } from '../../../infra/outbound.ts';
import type { ImportInput } from '../../../integrations/custom/importer.ts';
import { importMcp } from '../../../integrations/custom/mcp/import-mcp.ts';
import { aFakeMcpServer, type FakeMcpServer, type Manner } from '../../support/mcp/fake-mcp-server.ts';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const TOOL = { name: 'look', inputSchema: { type: 'object' } };
const TOKEN = 'the-secret-token-of-the-import';

async function aServer(manner: Manner = 'stateless'): Promise<FakeMcpServer> {
  const server = await aFakeMcpServer(manner, [TOOL]);
  open.push(server);
  return server;
}

function guard(server: FakeMcpServer, metadata?: string): void {
  server.before = (request, response) => {
    if (request.url !== '/mcp' || request.headers.authorization === `Bearer ${TOKEN}`) return false;
    const challenge = metadata ? `Bearer resource_metadata="${metadata}", scope="tools:read"` : 'Bearer';
    response.writeHead(401, { 'WWW-Authenticate': challenge }).end('who are you?');
    return true;
  };
}

function importIt(url: string, input: Partial<ImportInput> = {}, signal = new AbortController().signal) {
  const outbound = openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] });
  open.push(outbound);
  return importMcp({ name: 'remote', url, ...input }, { outbound, withSlot: (_, work) => work(), signal, names: new Map() });
}

const bearer = { fetchAuth: { type: 'bearer', token: TOKEN } } as const;

describe.each(['sessions', 'stateless', 'modern'] as const)('a server of the kind %s that answers 401', (manner) => {
  test('is imported only with credentials, and accounts of the integration need a token', async () => {
    const server = await aServer(manner);
    guard(server);
    await expect(importIt(server.url)).rejects.toMatchObject({ code: 'FETCH_FAILED', details: { reason: 'status', status: 401 } });
    const { integration } = await importIt(server.url, bearer);
    expect(integration.head.auth).toMatchObject([{ key: 'token', type: 'SECRET_TEXT', authenticate: 'bearer' }]);
    expect(JSON.stringify(integration)).not.toContain(TOKEN);
  });
});

const FEATURES = { response_types_supported: ['code'], authorization_response_iss_parameter_supported: true };

test('accounts of the integration use the sign-in from the metadata of the server (RFC 9728)', async () => {
  const [server, authority] = [await aServer(), await aServer()];
  const metadata = `${server.origin}/.well-known/oauth-protected-resource/mcp`;
  guard(server, metadata);
  const guarded = server.before;
  const json = (document: object) => JSON.stringify(document);
  server.before = (request, response) => {
    if (!request.url!.startsWith('/.well-known/')) return guarded(request, response);
    expect(request.headers.authorization).toBeUndefined();
    response.end(json({ resource: server.url, authorization_servers: [authority.origin], scopes_supported: ['all'] }));
    return true;
  };
  authority.before = (request, response) => {
    expect(request.headers.authorization).toBeUndefined();
    const [authorization_endpoint, token_endpoint] = [`${authority.origin}/authorize`, `${authority.origin}/token`];
    response.end(json({ issuer: authority.origin, authorization_endpoint, token_endpoint, ...FEATURES }));
    return true;
  };
  const { integration } = await importIt(server.url, bearer);
  expect(integration.head.auth).toMatchObject([
    {
      type: 'OAUTH2',
      authenticate: 'bearer',
      oauth2: {
        ...{ authorizationUrl: `${authority.origin}/authorize`, tokenUrl: `${authority.origin}/token`, scopes: ['tools:read'] },
        issuer: authority.origin,
        namesIssuer: true,
        resource: server.url,
      },
    },
    { type: 'SECRET_TEXT' },
  ]);
  const { integration: without } = await importIt(server.url, { ...bearer, auth: null });
  expect(without.head.auth).toBeNull();
});

test('a header of the import is sent only to the origin of the server', async () => {
  const [server, other] = [await aServer(), await aServer()];
  const moved = await aServer();
  moved.before = (_, response) => {
    response.writeHead(307, { Location: other.url }).end();
    return true;
  };
  const headers = { 'X-Api-Key': TOKEN };
  await importIt(server.url, { headers });
  expect(server.arrived.some(({ headers: sent }) => sent['x-api-key'] === TOKEN)).toBe(true);
  await expect(importIt(moved.url, { headers })).rejects.toMatchObject({ code: 'FETCH_FAILED', details: { reason: 'redirects' } });
  expect(other.arrived).toEqual([]);
});

test('up to three redirects within the origin are followed, and calls use the final address', async () => {
  const server = await aServer();
  let hops = 3;
  server.before = (request, response) => {
    const hop = Number(/^\/hop(\d)/.exec(request.url!)?.[1] ?? Number.NaN);
    if (Number.isNaN(hop)) return false;
    response.writeHead(308, { Location: hop < hops ? `/hop${hop + 1}` : '/mcp' }).end();
    return true;
  };
  await expect(importIt(`${server.origin}/hop0`)).rejects.toMatchObject({ code: 'FETCH_FAILED', details: { reason: 'redirects' } });
  hops = 2;
  expect((await importIt(`${server.origin}/hop0`)).integration.head.baseUrl).toBe(server.url);
});

test.each([
  ['a server that fails', (server: FakeMcpServer) => answering(server, 500, 'broken'), { reason: 'status', status: 500 }],
  ['a page', (server: FakeMcpServer) => answering(server, 200, '<html>', 'text/html'), { reason: 'protocol' }],
  [
    'an answer that is not JSON',
    (server: FakeMcpServer) => answering(server, 200, '{"jsonrpc"', 'application/json'),
    { reason: 'protocol' },
  ],
  ['a wrong address', (server: FakeMcpServer) => answering(server, 404, 'nothing here'), { reason: 'status', status: 404 }],
])('%s is not accepted as an MCP server', async (_, misbehave, details) => {
  const server = await aServer();
  misbehave(server);
  await expect(importIt(server.url)).rejects.toMatchObject({ code: 'FETCH_FAILED', details });
});

function answering(server: FakeMcpServer, status: number, body: string, type = 'text/plain'): void {
  server.before = (_, response) => {
    response.writeHead(status, { 'Content-Type': type }).end(body);
    return true;
  };
}

test.each([
  ['http://127.0.0.1:1/mcp', { code: 'FETCH_FAILED', details: { reason: 'connection' } }],
  ['http://nowhere.invalid/mcp', { code: 'FETCH_FAILED', details: { reason: 'dns' } }],
  ['http://10.0.0.1/mcp', { code: 'ADDRESS_NOT_ALLOWED' }],
  ['ftp://example.com/mcp', { code: 'ADDRESS_NOT_ALLOWED' }],
])('%s cannot be imported', async (url, error) => {
  await expect(importIt(url)).rejects.toMatchObject(error);
});

test('the service refuses to import itself', async () => {
  const server = await aServer();
  const { port } = new URL(server.url);
  const outbound = openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'], ownParts: [{ host: '127.0.0.1', port: Number(port) }] });
  open.push(outbound);
  const importing = importMcp(
    { name: 'own', url: server.url },
    { outbound, withSlot: (_, work) => work(), signal: new AbortController().signal, names: new Map() },
  );
  await expect(importing).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
  expect(server.arrived).toEqual([]);
});

test('the import gives up on a server that never answers or sends endless pages', async () => {
  const silent = await aServer();
  silent.before = () => new Promise(() => {});
  await expect(importIt(silent.url, {}, AbortSignal.timeout(2_000))).rejects.toMatchObject({
    ...{ code: 'FETCH_FAILED', details: { reason: 'timeout' } },
  });
  const endless = await aServer();
  endless.pages = (cursor = '0') => ({ tools: [], nextCursor: String(Number(cursor) + 1) });
  await expect(importIt(endless.url)).rejects.toMatchObject({ code: 'DOCUMENT_TOO_COMPLEX' });
});

test('more than 32 MiB of tools are refused, in one page or in many pages', async () => {
  const server = await aServer();
  const tool = { ...TOOL, description: 'x'.repeat(12 * 1024 * 1024) };
  server.pages = (cursor = '0') => ({ tools: [tool], nextCursor: String(Number(cursor) + 1) });
  await expect(importIt(server.url)).rejects.toMatchObject({ code: 'DOCUMENT_TOO_LARGE' });
  server.pages = () => ({ tools: [tool, tool, tool] });
  await expect(importIt(server.url)).rejects.toMatchObject({ code: 'DOCUMENT_TOO_LARGE' });
});

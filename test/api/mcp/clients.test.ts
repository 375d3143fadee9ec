import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { addIntegration, anOrg, aServer, type TestServer } from './mcp-bed.ts';

let server: TestServer;
beforeAll(async () => {
  const org = await anOrg();
  await addIntegration(org, 'datetime');
  server = await aServer(org);
});

const CALL = { name: 'datetime__format_date', arguments: { date: '2026-03-05T10:00:00Z', format: 'eu' } };
const options = () => ({ requestInit: { headers: { Authorization: `Bearer ${server.token}` } } });

test('a client of SDK 1.x can connect, list and call', async () => {
  const client = new Client1({ name: 'test', version: '1' });
  await client.connect(new Transport1(new URL(server.url), options()) as Parameters<typeof client.connect>[0]);
  expect(client.getServerVersion()?.name).toBe('A TOOLS server');
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('datetime__format_date');
  expect((await client.callTool(CALL)).structuredContent).toEqual({ formatted: '05/03/2026', format: 'eu', timezone: 'UTC' });
  await client.close();
});

test.each([
  ['opens with initialize', {}, '2025-11-25'],
  ['uses the revision without a handshake', { versionNegotiation: { mode: 'auto' as const } }, '2026-07-28'],
])('a client of SDK 2.x that %s can list and call', async (_, negotiation, revision) => {
  const client = new Client({ name: 'test', version: '1' }, negotiation);
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url), options()));
  expect(client.getNegotiatedProtocolVersion()).toBe(revision);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('datetime__format_date');
  expect((await client.callTool(CALL)).structuredContent).toEqual({ formatted: '05/03/2026', format: 'eu', timezone: 'UTC' });
  await client.close();
});

test('a plain JSON-RPC POST without initialize gets plain JSON for any Accept header', async () => {
  for (const accept of ['', '*/*', 'application/json']) {
    const { status, headers: answered, body } = await server.rpc('tools/call', CALL, { headers: { accept } });
    expect(status).toBe(200);
    expect(answered.get('content-type')).toMatch(/^application\/json/);
    expect(body.result.structuredContent.formatted).toBe('05/03/2026');
  }
});

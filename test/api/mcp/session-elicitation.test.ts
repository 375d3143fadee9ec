import { sessionIdFor, sessionOpensUrls } from '../../../api/mcp/session-id.ts';
import { openTokens } from '../../../infra/tokens.ts';
import { sdk1Client } from './eliciting-client.ts';
import { addIntegration, addPolicy, anOrg, aServer } from './mcp-bed.ts';

// A client of SDK 1.x declares its capabilities only in `initialize`.

const OPENS_URLS = { elicitation: { url: {} } };
const initialize = (protocolVersion: string, capabilities: object) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion, capabilities, clientInfo: { name: 'test', version: '1' } },
});

const FORMAT = { name: 'datetime__format_date', arguments: { date: '2026-03-05T10:00:00Z', format: 'eu' } };
const RUN = { name: 'svc_execute', arguments: { code: 'return await svc.datetime.format_date({ date: "2026-03-05", format: "eu" })' } };

async function aGatedServer(mode: 'TOOLS' | 'CODE', settings: object = { approvalElicitation: true }) {
  const org = await anOrg();
  await addIntegration(org, 'datetime');
  await addPolicy(org, { integrationNames: ['datetime'] });
  const approve = (id: string) => org.rest('POST', `/approvals/${id}/approve`, {});
  return { server: await aServer(org, mode, { settings }), approve };
}

async function aSlackServer(mode: 'TOOLS' | 'CODE') {
  const org = await anOrg();
  await addIntegration(org, 'slack', { connectionStrategy: 'per_user', enabledActions: ['send_channel_message'] });
  await org.rest('POST', '/end-users', { workspaceId: org.workspaceId, externalId: 'ada' });
  return aServer(org, mode, { endUserId: 'ada' });
}

const asksToOpen = (url: RegExp, elicitationId: unknown = expect.any(String)) => ({
  code: -32042,
  data: { elicitations: [{ mode: 'url', elicitationId, url: expect.stringMatching(url), message: expect.any(String) }] },
});

test.each([
  ['TOOLS', 'slack__send_channel_message', { channel: 'C1', text: 'x' }],
  ['TOOLS', 'slack__list_channels', {}],
  ['CODE', 'svc_execute', { code: 'return await svc.slack.send_channel_message({ channel: "C1", text: "x" })' }],
] as const)('without an account, %s %s asks a client that opens URLs to open the connect page', async (mode, name, input) => {
  const client = await sdk1Client(await aSlackServer(mode), OPENS_URLS);
  await expect(client.callTool({ name, arguments: input })).rejects.toMatchObject(asksToOpen(/\/connect\/portal\?token=eut_/));
  await client.close();
});

test('a client that cannot open URLs gets the connect link in its result', async () => {
  const server = await aSlackServer('TOOLS');
  const client = await sdk1Client(server, { elicitation: { form: {} } });
  expect(client.transport?.sessionId).toBeUndefined();
  const { structuredContent } = await client.callTool({ name: 'slack__list_channels', arguments: {} });
  expect(structuredContent).toMatchObject({ error: { code: 'CONNECTION_REQUIRED', details: { connectUrl: expect.any(String) } } });
  await client.close();
});

test('with approvalElicitation, a call that needs approval asks the client to open the approval page', async () => {
  const { server, approve } = await aGatedServer('TOOLS');
  const client = await sdk1Client(server, OPENS_URLS);
  const asked = await client.callTool(FORMAT).catch((error) => error);
  expect(asked).toMatchObject(asksToOpen(/\/approve\/apr_/, expect.stringMatching(/^apr_/)));
  const { elicitationId } = asked.data.elicitations[0];
  await expect(client.callTool(FORMAT)).rejects.toMatchObject(asksToOpen(/\/approve\/apr_/, elicitationId));
  await approve(elicitationId);
  expect((await client.callTool(FORMAT)).structuredContent).toMatchObject({ formatted: '05/03/2026' });
  await client.close();
});

test('the continuation of a program that waits for approval asks the client to open the approval page', async () => {
  const { server, approve } = await aGatedServer('CODE');
  const client = await sdk1Client(server, OPENS_URLS);
  const { structuredContent } = await client.callTool(RUN);
  const { status, continuation } = structuredContent as { status: string; continuation: { arguments: { approvalId: string } } };
  expect(status).toBe('approval_required');
  const { approvalId } = continuation.arguments;
  const goOn = () => client.callTool({ name: 'svc_execute', arguments: continuation.arguments });
  await expect(goOn()).rejects.toMatchObject(asksToOpen(/\/approve\/apr_/, approvalId));
  await approve(approvalId);
  expect((await goOn()).structuredContent).toMatchObject({ status: 'executed', output: { formatted: '05/03/2026' } });
  await client.close();
});

test('without approvalElicitation, a call that needs approval answers immediately', async () => {
  const { server } = await aGatedServer('TOOLS', {});
  const client = await sdk1Client(server, OPENS_URLS);
  expect((await client.callTool(FORMAT)).structuredContent).toMatchObject({ status: 'approval_required' });
  await client.close();
});

test('only an `initialize` of revision 2025-11-25 with URL elicitation gets a session id', async () => {
  const server = await aServer(await anOrg());
  const sessionIdOf = async (message: object) => (await server.post(message)).headers.get('mcp-session-id');
  expect(await sessionIdOf(initialize('2025-11-25', OPENS_URLS))).toMatch(/^[\x21-\x7e]{20,200}$/);
  expect(await sessionIdOf(initialize('2025-06-18', OPENS_URLS))).toBeNull();
  expect(await sessionIdOf(initialize('2025-11-25', { elicitation: {} }))).toBeNull();
  expect(await sessionIdOf(initialize('2025-11-25', {}))).toBeNull();
  expect(await sessionIdOf({ jsonrpc: '2.0', id: 1, method: 'ping' })).toBeNull();
});

test('an unknown session id is ignored; a session cannot be deleted', async () => {
  const { server } = await aGatedServer('TOOLS');
  for (const id of ['unknown', '8c4c9e76-4f0e-4c6a-9d3a-0f6f5a1b2c3d.AAAA', 'x'.repeat(5000)]) {
    const { status, body } = await server.rpc('tools/call', FORMAT, { headers: { 'Mcp-Session-Id': id } });
    expect([status, body.result.structuredContent.status]).toEqual([200, 'approval_required']);
  }
  const { headers } = await server.post(initialize('2025-11-25', OPENS_URLS));
  const sessionId = headers.get('mcp-session-id')!;
  expect((await server.post('', { method: 'DELETE', headers: { 'Mcp-Session-Id': sessionId } })).status).toBe(405);
  expect((await server.rpc('tools/call', FORMAT, { headers: { 'Mcp-Session-Id': sessionId } })).body.error.code).toBe(-32042);
});

test('every replica with the same pepper accepts a session id; a changed session id is ignored', () => {
  const pepper = 'the pepper of all replicas';
  const id = sessionIdFor(openTokens(pepper), initialize('2025-11-25', OPENS_URLS))!;
  expect(sessionOpensUrls(openTokens(pepper), id)).toBe(true);
  expect(sessionOpensUrls(openTokens('another pepper'), id)).toBe(false);
  const [uuid, signature] = id.split('.');
  for (const forged of ['', '.', uuid!, `${uuid}.`, `.${signature}`, `x${id}`, `${id}.x`, `${uuid}.${signature}x`])
    expect(sessionOpensUrls(openTokens(pepper), forged)).toBe(false);
});

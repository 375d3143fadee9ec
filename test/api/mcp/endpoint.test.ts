import { request } from 'node:http';
import { openTokens } from '../../../infra/tokens.ts';
import { admin } from '../../standalone/run-admin.ts';
import { system } from '../../support/system.ts';
import { anOrg, aServer, type TestServer } from './mcp-bed.ts';

let server: TestServer;
let other: TestServer;
beforeAll(async () => {
  [server, other] = await Promise.all([anOrg().then((org) => aServer(org)), anOrg().then((org) => aServer(org))]);
});

test('a missing, malformed or unknown token, and a token of another server or kind, get the same 401 body', async () => {
  const { secrets } = await system();
  const tokens = openTokens(secrets.TOKEN_PEPPER);
  const answers = await Promise.all(
    [null, 'mcp_short', other.token, tokens.issue('mcp_'), tokens.issue('svc_'), `${server.token}x`].map((token) =>
      server.rpc('ping', {}, { token }),
    ),
  );
  for (const [index, { status, headers, body }] of answers.entries()) {
    const challenge = index === 0 ? 'Bearer scope="mcp:tools"' : 'Bearer error="invalid_token", scope="mcp:tools"';
    expect([status, body.code, headers.get('www-authenticate')]).toEqual([401, 'UNAUTHORIZED', challenge]);
    expect(body).toEqual(answers[0]!.body);
  }
});

test('a token is refused at an unknown or malformed server id', async () => {
  const { apiUrl } = await system();
  for (const id of ['00000000-0000-4000-8000-000000000000', 'zzz', "'; drop table mcp_servers", '%00']) {
    const { status, body } = await server.rpc('ping', {}, { url: `${apiUrl}/mcp/srv_${id}` });
    expect([status, body.code]).toEqual([401, 'UNAUTHORIZED']);
  }
});

test('a regenerated token replaces the old token immediately; deleting the server revokes the new token', async () => {
  const org = await anOrg();
  const mine = await aServer(org);
  const { body } = await org.rest('POST', `/mcp/servers/${mine.id}/regenerate-token`);
  expect((await mine.rpc('ping')).status).toBe(401);
  expect((await mine.rpc('ping', {}, { token: body.bearerToken })).status).toBe(200);
  await org.rest('DELETE', `/mcp/servers/${mine.id}`);
  expect((await mine.rpc('ping', {}, { token: body.bearerToken })).status).toBe(401);
});

test('until an operator resumes a suspended server, it refuses requests, and lists omit it by default', async () => {
  const org = await anOrg();
  const mine = await aServer(org);
  const state = async () => {
    const { status, body } = await mine.rpc('ping');
    const ran = await org.rest('POST', `/mcp/servers/${mine.id}/execute-code`, { code: 'return 1' });
    const listed = await Promise.all(['', '?includeSuspended=true'].map((query) => org.rest('GET', `/mcp/servers${query}`)));
    return [status, body.code, ran.body.code, ...listed.map(({ body }) => body.total)];
  };
  const before = await state();
  expect(before).toEqual([200, undefined, expect.not.stringMatching('SERVER_SUSPENDED'), 1, 1]);
  expect(await admin('suspend-server', mine.id)).toMatchObject({ code: 0, stderr: '' });
  expect(await admin('suspend-server', `srv_${mine.id}`)).toMatchObject({ code: 0, stderr: '' });
  expect(await state()).toEqual([403, 'SERVER_SUSPENDED', 'SERVER_SUSPENDED', 0, 1]);
  expect(await admin('resume-server', mine.id)).toMatchObject({ code: 0, stdout: expect.stringContaining(mine.id) });
  expect(await state()).toEqual(before);
});

test.each([
  ['no id', [], 'The ID of the server is missing'],
  ['an invalid id', ['all'], 'all is not an id'],
  ['an unknown server', ['00000000-0000-4000-8000-000000000000'], 'There is no MCP server'],
])('suspend-server and resume-server refuse %s', async (_, args, words) => {
  for (const name of ['suspend-server', 'resume-server']) {
    expect(await admin(name, ...args)).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(words) });
  }
});

test.each(['GET', 'DELETE', 'PUT', 'OPTIONS'])('%s is refused, and the answer names the allowed methods', async (method) => {
  const { status, headers, body } = await server.post(undefined, { method });
  expect([status, headers.get('allow'), body.code]).toEqual([405, 'POST', 'METHOD_NOT_ALLOWED']);
});

test('requests from pages of other sites are refused before any other check', async () => {
  const { apiUrl } = await system();
  for (const origin of ['https://evil.example', 'null', `${apiUrl}.evil.example`]) {
    const { status, body } = await server.rpc('ping', {}, { headers: { origin }, token: null });
    expect([status, body.code]).toEqual([403, 'ORIGIN_NOT_ALLOWED']);
  }
  expect((await server.rpc('ping', {}, { headers: { origin: apiUrl } })).status).toBe(200);
});

test('a foreign host name that resolves to this machine is refused', async () => {
  const status = await new Promise((resolve, reject) => {
    const { hostname, port, pathname } = new URL(server.url);
    const headers = { host: 'rebound.example', authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
    request({ hostname, port, path: pathname, method: 'POST', headers }, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  });
  expect(status).toBe(403);
});

test('an answer has a request id and cannot be cached', async () => {
  const { headers } = await server.rpc('ping');
  expect(headers.get('x-request-id')).toBeTruthy();
  expect(headers.get('cache-control')).toBe('no-store');
});

test('a notification or a response from the client gets an empty answer', async () => {
  for (const message of [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 1, result: {} },
  ]) {
    const { status, body } = await server.post(message);
    expect([status, body]).toEqual([202, undefined]);
  }
});

test('a batch is answered in its order, without an answer to a notification; a repeated id is refused', async () => {
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } };
  const { status, body } = await server.post([ping(2), cancel, ping(1)]);
  expect(status).toBe(200);
  expect(body.map(({ id }: { id: number }) => id)).toEqual([2, 1]);
  expect((await server.post([ping(1), ping(1)])).status).toBe(400);
});

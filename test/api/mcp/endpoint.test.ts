import { request } from 'node:http';
import { openTokens } from '../../../infra/tokens.ts';
import { patientDatabase } from '../../support/patient-database.ts';
import { system } from '../../support/system.ts';
import { anOrg, aServer, type TestServer } from './mcp-bed.ts';

let server: TestServer;
let other: TestServer;
beforeAll(async () => {
  [server, other] = await Promise.all([anOrg().then((org) => aServer(org)), anOrg().then((org) => aServer(org))]);
});

test('one answer for a missing, malformed, foreign, unknown or wrong kind of token', async () => {
  const { secrets } = await system();
  const tokens = openTokens(secrets.TOKEN_PEPPER);
  const answers = await Promise.all(
    [null, 'mcp_short', other.token, tokens.issue('mcp_'), tokens.issue('svc_'), `${server.token}x`].map((token) =>
      server.rpc('ping', {}, { token }),
    ),
  );
  for (const { status, headers, body } of answers) {
    expect([status, body.code, headers.get('www-authenticate')]).toEqual([401, 'UNAUTHORIZED', 'Bearer']);
    expect(body).toEqual(answers[0]!.body);
  }
});

test('no credential is good for an unknown or a malformed server id', async () => {
  const { apiUrl } = await system();
  for (const id of ['00000000-0000-4000-8000-000000000000', 'zzz', "'; drop table mcp_servers", '%00']) {
    const { status, body } = await server.rpc('ping', {}, { url: `${apiUrl}/mcp/srv_${id}` });
    expect([status, body.code]).toEqual([401, 'UNAUTHORIZED']);
  }
});

test('a regenerated token replaces the old one at once, and ends with its server', async () => {
  const org = await anOrg();
  const mine = await aServer(org);
  const { body } = await org.rest('POST', `/mcp/servers/${mine.id}/regenerate-token`);
  expect((await mine.rpc('ping')).status).toBe(401);
  expect((await mine.rpc('ping', {}, { token: body.bearerToken })).status).toBe(200);
  await org.rest('DELETE', `/mcp/servers/${mine.id}`);
  expect((await mine.rpc('ping', {}, { token: body.bearerToken })).status).toBe(401);
});

test('a suspended server refuses with its code', async () => {
  const { databaseUrl } = await system();
  const mine = await aServer(await anOrg());
  const db = patientDatabase(databaseUrl);
  await db('mcp_servers').where({ id: mine.id }).update({ suspended_at: db.fn.now() });
  await db.destroy();
  const { status, body } = await mine.rpc('ping');
  expect([status, body.code]).toEqual([403, 'SERVER_SUSPENDED']);
});

test.each(['GET', 'DELETE', 'PUT', 'OPTIONS'])('%s is refused with what is allowed', async (method) => {
  const { status, headers, body } = await server.post(undefined, { method });
  expect([status, headers.get('allow'), body.code]).toEqual([405, 'POST', 'METHOD_NOT_ALLOWED']);
});

test('pages of other sites are refused before anything else, our own are not', async () => {
  const { apiUrl } = await system();
  for (const origin of ['https://evil.example', 'null', `${apiUrl}.evil.example`]) {
    const { status, body } = await server.rpc('ping', {}, { headers: { origin }, token: null });
    expect([status, body.code]).toEqual([403, 'ORIGIN_NOT_ALLOWED']);
  }
  expect((await server.rpc('ping', {}, { headers: { origin: apiUrl } })).status).toBe(200);
});

test('a foreign host name that points at this machine is refused', async () => {
  const status = await new Promise((resolve, reject) => {
    const { hostname, port, pathname } = new URL(server.url);
    const headers = { host: 'rebound.example', authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
    request({ hostname, port, path: pathname, method: 'POST', headers }, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  });
  expect(status).toBe(403);
});

test('every answer carries a request id, and none is kept by a cache', async () => {
  const { headers } = await server.rpc('ping');
  expect(headers.get('x-request-id')).toBeTruthy();
  expect(headers.get('cache-control')).toBe('no-store');
});

test('a notification and an answer from the client are taken without a word', async () => {
  for (const message of [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 1, result: {} },
  ]) {
    const { status, body } = await server.post(message);
    expect([status, body]).toEqual([202, undefined]);
  }
});

test('a batch is answered in its order, and nothing in it can keep the answer back', async () => {
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } };
  const { status, body } = await server.post([ping(2), cancel, ping(1)]);
  expect(status).toBe(200);
  expect(body.map(({ id }: { id: number }) => id)).toEqual([2, 1]);
  expect((await server.post([ping(1), ping(1)])).status).toBe(400);
});

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import Koa from 'koa';
import { pino } from 'pino';
import { logRequests } from '../../api/middleware/log-requests.ts';
import { renderErrors } from '../../api/middleware/render-errors.ts';
import { requestId } from '../../api/middleware/request-id.ts';
import { mountRoutes } from '../../api/mount-routes.ts';
import { ROUTES } from '../../api/routes.ts';
import { type ApiBed, openApiBed } from './api-bed.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed.close());

async function logOf(path: string, init: RequestInit = {}): Promise<{ text: string; line: Record<string, unknown> }> {
  let text = '';
  const sink = new Writable({
    write(chunk, _, done) {
      text += chunk;
      done();
    },
  });
  const logger = pino({ level: 'debug' }, sink) as never;
  const app = new Koa();
  for (const middleware of [requestId(), logRequests(logger), renderErrors(logger), ...mountRoutes(bed.gateway, ROUTES, () => {})])
    app.use(middleware);
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await (await fetch(`http://127.0.0.1:${port}${path}`, init)).arrayBuffer();
  server.close();
  server.closeAllConnections();
  return { text, line: JSON.parse(text.trim().split('\n').at(-1)!) };
}

const headers = () => ({ authorization: `Bearer ${bed.plainKey}`, 'content-type': 'application/json', 'x-request-id': 'request-4711' });

test('a request writes one log line with its id, method, path, route, status, duration and key', async () => {
  const { line } = await logOf(`/api/v1/workspaces/${bed.workspaceId}`, { headers: headers() });
  const { apiKeys } = await bed.api.must(200).get('/api/v1/api-keys');
  expect(line).toMatchObject({
    requestId: 'request-4711',
    method: 'GET',
    path: `/api/v1/workspaces/${bed.workspaceId}`,
    route: '/api/v1/workspaces/{id}',
    status: 200,
    durationMs: expect.any(Number),
    keyId: apiKeys[0].id,
  });
});

test('the log contains no key, body, query or token in a path', async () => {
  const token = `eut_${'a1B2'.repeat(10)}`;
  for (const path of [`/api/v1/workspaces?token=${token}`, `/connect/${token}`, `/files/${token}`, '/files/abc.def']) {
    const { text } = await logOf(path, { method: 'POST', headers: headers(), body: '{"name":"a body","slug":"x y"}' });
    for (const secret of [token, 'abc.def', bed.plainKey, 'a body', 'x y']) expect(text).not.toContain(secret);
  }
});

test('a request with an unknown key is logged with its status, without a key id', async () => {
  const { line } = await logOf('/api/v1/workspaces', { headers: { authorization: 'Bearer svc_nobody' } });
  expect([line.status, line.route, line.keyId]).toEqual([401, '/api/v1/workspaces', undefined]);
});

import { once } from 'node:events';
import { connect } from 'node:net';
import { CHECK_MS, SERVER_TIMES } from '../../api/open-server.ts';
import { aTenant, type Tenant } from '../support/tenant.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await aTenant();
});

/** Sends `more` every 500 ms. Returns the time until the connection closes, in seconds. */
async function trickle(first: string, more: string): Promise<number> {
  const { hostname, port } = new URL(tenant.apiUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {}).resume();
  await once(socket, 'connect');
  const startedAt = performance.now();
  socket.write(first);
  const timer = setInterval(() => socket.write(more), 500);
  await once(socket, 'close');
  clearInterval(timer);
  return (performance.now() - startedAt) / 1000;
}

const post = (path: string, headers: string[] = []) =>
  [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Content-Length: 100000', ...headers, '', ''].join('\r\n');

test('a connection with slow headers is closed within 10 s, with a slow body within 30 s', async () => {
  const key = `Authorization: Bearer ${tenant.plainKey}`;
  const json = 'Content-Type: application/json';
  const form = 'Content-Type: application/x-www-form-urlencoded';
  const headers = ['/health', '/api/v1/workspaces', '/approve/x', '/mcp/srv_x'].flatMap((path) =>
    Array.from({ length: 75 }, () => trickle(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n`, 'X-A: b\r\n')),
  );
  const silent = Array.from({ length: 100 }, () => trickle('', '\r\n'));
  const bodies = [
    post('/api/v1/workspaces', [key, json]),
    post('/api/v1/workspaces', [json]),
    post('/api/v1/actions/execute', [key, json]),
    post('/mcp/srv_x', [json]),
    post('/approve/x', [form]),
    post('/connect/x', [form]),
    post('/health'),
    post('/nothing'),
  ].flatMap((first) => Array.from({ length: 10 }, () => trickle(first, 'a')));
  for (let asked = 0; asked < 20; asked += 1) await tenant.api.must(200).get('/api/v1/workspaces');
  expect(Math.max(...(await Promise.all([...headers, ...silent])))).toBeLessThan(10);
  expect(Math.max(...(await Promise.all(bodies)))).toBeLessThan(30);
  expect(SERVER_TIMES.headersMs + 2 * CHECK_MS).toBeLessThan(10_000);
  expect(SERVER_TIMES.requestMs + 2 * CHECK_MS).toBeLessThan(30_000);
  await tenant.api.must(200).get('/api/v1/workspaces');
});

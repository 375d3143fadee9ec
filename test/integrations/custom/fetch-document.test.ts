import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openOutbound } from '../../../infra/outbound.ts';
import { fetchDocument } from '../../../integrations/custom/fetch-document.ts';
import { closeAll, serveTls } from '../../infra/outbound-servers.ts';

const outbound = openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] });
const seen: { origin: string; headers: IncomingMessage['headers'] }[] = [];
let [first, second]: Server[] = [];

const urlOf = (server: Server | undefined) => `http://127.0.0.1:${(server!.address() as AddressInfo).port}`;
const aServer = () =>
  new Promise<Server>((resolve) => {
    const server = createServer((request, response) => {
      seen.push({ origin: urlOf(server), headers: request.headers });
      const [, status = '200', target = ''] = /^\/(\d+)(?:\/(.*))?$/.exec(request.url!) ?? [];
      response.writeHead(Number(status), target ? { location: decodeURIComponent(target) } : {}).end('openapi: 3.1.0');
    });
    server.listen(0, '127.0.0.1', () => resolve(server));
  });

beforeAll(async () => {
  [first, second] = [await aServer(), await aServer()];
});
beforeEach(() => {
  seen.length = 0;
});
afterAll(async () => {
  await Promise.all([outbound.close(), closeAll()]);
  await Promise.all([first, second].map((server) => new Promise((done) => server!.close(done))));
});

const fetchFrom = (url: string, more: object = {}) => fetchDocument({ url, ...more }, { outbound, signal: AbortSignal.timeout(60_000) });
const redirect = (to: string, from = urlOf(first)) => `${from}/302/${encodeURIComponent(to)}`;

test('headers and credentials are sent only to the origin of the given URL', async () => {
  const secrets = { headers: { 'X-Team': 'team-secret' }, fetchAuth: { type: 'basic', username: 'ada', password: 'pw' } };
  const response = await fetchFrom(redirect(`${urlOf(second)}/200`), secrets);
  expect(response).toMatchObject({ status: 200, url: `${urlOf(second)}/200` });
  const basic = `Basic ${Buffer.from('ada:pw').toString('base64')}`;
  expect(seen[0]).toMatchObject({ origin: urlOf(first), headers: { 'x-team': 'team-secret', authorization: basic } });
  expect(seen[1]!.origin).toBe(urlOf(second));
  expect(JSON.stringify(seen[1]!.headers)).not.toMatch(/team-secret|authorization/);
});

test('three redirects are followed, and a fourth redirect is refused', async () => {
  const chain = (count: number): string => (count === 0 ? `${urlOf(first)}/200` : redirect(chain(count - 1)));
  expect(await fetchFrom(chain(3))).toMatchObject({ status: 200 });
  await expect(fetchFrom(chain(4))).rejects.toMatchObject({ code: 'FETCH_FAILED', details: { reason: 'redirects' } });
});

test('a redirect to a forbidden address is refused', async () => {
  await expect(fetchFrom(redirect('http://10.0.0.1/doc'))).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
  await expect(fetchFrom('http://169.254.169.254/latest')).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
});

test('an error status and a closed port fail with different reasons', async () => {
  await expect(fetchFrom(`${urlOf(first)}/404`)).rejects.toMatchObject({
    code: 'FETCH_FAILED',
    details: { reason: 'status', status: 404 },
  });
  const closed = await aServer();
  const url = urlOf(closed);
  await new Promise((done) => closed.close(done));
  await expect(fetchFrom(url)).rejects.toMatchObject({ code: 'FETCH_FAILED', details: { reason: 'connection' } });
});

test('an untrusted certificate fails with the reason tls', async () => {
  const port = await serveTls((_, response) => response.end('openapi: 3.1.0'));
  await expect(fetchFrom(`https://127.0.0.1:${port}/doc`)).rejects.toMatchObject({ code: 'FETCH_FAILED', details: { reason: 'tls' } });
});

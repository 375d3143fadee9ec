import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { OutboundRequest } from '../../domain/outbound.ts';
import { readConfig } from '../../infra/config.ts';
import { openOutbound } from '../../infra/outbound.ts';
import { ownApi, ownParts } from '../../infra/own-parts.ts';
import { openServiceOutbound } from '../../infra/service-outbound.ts';

const EVERYTHING = ['0.0.0.0/0', '::/0'];

let own: { port: number; hits: number; close(): void };
let other: typeof own;
beforeAll(async () => {
  [own, other] = await Promise.all([aServer(), aServer()]);
});
afterAll(() => {
  for (const server of [own, other]) server?.close();
});

async function aServer(location?: () => string) {
  const counted = { port: 0, hits: 0, close: () => {} };
  const server = createServer((_, response) => {
    counted.hits += 1;
    if (location) response.setHeader('Location', location());
    response.writeHead(location ? 302 : 200).end('{}');
  }).listen(0);
  await once(server, 'listening');
  counted.port = (server.address() as AddressInfo).port;
  counted.close = () => {
    server.closeAllConnections();
    server.close();
  };
  return counted;
}

const guarded = () =>
  openOutbound(
    { allowHttp: true, allowCidrs: EVERYTHING, ownParts: [{ host: '127.0.0.1', port: own.port }] },
    { resolve: async (host) => (host === 'there.test' ? ['192.0.2.7', '127.0.0.1'] : ['127.0.0.1', '::1']) },
  );

test('parts of the service on this machine are refused under every name', async () => {
  const outbound = guarded();
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  const here = interfaces.map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));
  const names = [
    '127.0.0.1',
    '127.0.0.2',
    '127.1',
    '2130706433',
    'localhost',
    '0.0.0.0',
    '[::]',
    '[::1]',
    '[::ffff:127.0.0.1]',
    'there.test',
  ];
  for (const host of [...names, ...here]) {
    const refused = await outbound.request({ url: `http://${host}:${own.port}/`, timeoutMs: 30_000 }).catch((error) => error);
    expect([host, refused.kind, refused.message]).toEqual([host, 'blocked', expect.stringMatching(/is a part of this service itself/)]);
  }
  expect(own.hits).toBe(0);
  expect((await outbound.request({ url: `http://127.0.0.1:${other.port}/` })).status).toBe(200);
  await outbound.close();
});

test('a redirect to a part of the service is refused', async () => {
  const outbound = guarded();
  const sender = await aServer(() => `http://elsewhere.test:${own.port}/`);
  await expect(outbound.request({ url: `http://127.0.0.1:${sender.port}/`, redirects: 3 })).rejects.toMatchObject({ kind: 'blocked' });
  expect([sender.hits, own.hits]).toEqual([1, 0]);
  sender.close();
  await outbound.close();
});

test('the refused parts come from the configuration: Postgres, Temporal, its UI and OUTBOUND_REFUSE', () => {
  const partsOf = (env: Record<string, string>) => ownParts(readConfig(env)).map(({ host, port }) => `${host} ${port}`);
  expect(
    partsOf({
      DATABASE_URL: 'postgres://u:p@db.internal/gateway',
      TEMPORAL_ADDRESS: 'temporal.internal:17233',
      TEMPORAL_UI_URL: 'https://ui.example.com/path',
      OUTBOUND_REFUSE: '127.0.0.1:7243, [::1]:9000',
    }),
  ).toEqual(['db.internal 5432', 'temporal.internal 17233', 'ui.example.com 443', '127.0.0.1 7243', '::1 9000']);
  expect(partsOf({ DATABASE_URL: 'postgres://u:p@[::1]:5433/g', TEMPORAL_ADDRESS: 'temporal', TEMPORAL_UI_URL: 'http://ui:8233' })).toEqual(
    ['::1 5433', 'temporal 7233', 'ui 8233'],
  );
  expect(partsOf({})).toEqual([]);
});

test.each(['8233', 'host', 'host:0', 'host:99999', ':80', 'http://host:80'])('OUTBOUND_REFUSE=%s is refused at start-up', (text) => {
  expect(() => ownParts(readConfig({ OUTBOUND_REFUSE: text }))).toThrow(/OUTBOUND_REFUSE holds/);
});

describe('the API and the pages', () => {
  const resolve = async (host: string) => NAMES[host] ?? [];
  const NAMES: Record<string, string[]> = {
    'gateway.test': ['8.8.8.8', '2606:4700::1111'],
    'pages.test': ['9.9.9.9'],
    'alias.test': ['2606:4700:0::1111'],
    'nat.test': ['64:ff9b::8.8.8.8'],
    'lost.test': [],
    localhost: ['127.0.0.1', '::1'],
    'a.localhost': ['127.0.0.1'],
    'other.test': ['1.1.1.1'],
    'here.test': ['127.0.0.1'],
    'both.test': ['1.1.1.1', '8.8.8.8'],
  };
  const settings = (env: Record<string, string>) =>
    readConfig({ OUTBOUND_ALLOW_HTTP: '1', OUTBOUND_ALLOW_CIDRS: EVERYTHING.join(), TOKEN_PEPPER: 'p'.repeat(40), ...env });
  const opened = (env: Record<string, string>) => openServiceOutbound(settings(env), { resolve });
  const TRICKS: Partial<OutboundRequest>[] = [
    { method: 'POST' },
    { body: 'x' },
    { headers: { 'X-HTTP-Method': 'POST' } },
    { headers: { Cookie: 'a=b' } },
  ];
  const BEHIND_A_PROXY = { BASE_URL: 'https://Gateway.test/gw/', PLATFORM_URL: 'http://pages.test', HOST: '0.0.0.0', PORT: '8080' };

  test.each([
    'https://gateway.test/',
    'https://GATEWAY.TEST./x',
    'http://gateway.test/',
    'http://gateway.test:8080/',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
    'https://[::ffff:8.8.8.8]/',
    'https://alias.test/',
    'https://nat.test/',
    'https://both.test/',
    'http://pages.test/app/approvals/1',
    'https://pages.test/',
    'http://9.9.9.9/',
    'http://here.test:8080/',
    'https://localhost/',
    'http://a.localhost/',
    'http://[::1]:8080/',
    'http://[::]:8080/',
    'http://0:8080/',
    'https://gateway.test/gw/approve/x',
    'https://gateway.test/gw/files/a.b',
  ])('the service is recognized by name or by address, at each of its ports: %s', async (url) => {
    const outbound = opened(BEHIND_A_PROXY);
    const refused = { message: expect.stringMatching(/is a part of this service itself\. The service's own addresses are never called/) };
    await expect(outbound.checkDestination(url)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', ...refused });
    await expect(outbound.request({ url, method: 'POST', body: 'decision=approve', timeoutMs: 30_000 })).rejects.toMatchObject({
      kind: 'blocked',
      ...refused,
    });
    await outbound.close();
  });

  test.each([
    'https://other.test/',
    'https://gateway.test:8443/',
    'http://here.test:8081/',
    'https://lost.test/',
    'https://a-gateway.test/',
  ])('a different address is not taken for the service: %s', async (url) => {
    const outbound = opened(BEHIND_A_PROXY);
    expect(await outbound.checkDestination(url)).toBeUndefined();
    await outbound.close();
  });

  test('a name whose lookup fails is compared by name only', async () => {
    const failing = openServiceOutbound(settings(BEHIND_A_PROXY), { resolve: () => Promise.reject(new Error('ENOTFOUND')) });
    await expect(failing.checkDestination('https://gateway.test/')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await failing.checkDestination('https://other.test/')).toBeUndefined();
    await failing.close();
  });

  test('no name is looked up for a port that the service does not have', async () => {
    const outbound = openServiceOutbound(settings({}), { resolve: () => Promise.reject(new Error('was looked up')) });
    expect(await outbound.checkDestination('https://hooks.example.com/x')).toBeUndefined();
    await outbound.close();
  });

  test('only the download links of the service are allowed, and OUTBOUND_REFUSE refuses these too', async () => {
    const address = { BASE_URL: `http://127.0.0.1:${own.port}/gw`, PORT: String(own.port) };
    const outbound = opened(address);
    const before = own.hits;
    const base = `http://127.0.0.1:${own.port}`;
    for (const path of ['/files/abc.def', '/gw/files/abc.def']) {
      expect((await outbound.request({ url: base + path })).status).toBe(200);
      expect((await outbound.request({ url: base + path, method: 'HEAD', headers: { Range: 'bytes=0-1' } })).status).toBe(200);
      for (const trick of TRICKS) await expect(outbound.request({ url: base + path, ...trick })).rejects.toMatchObject({ kind: 'blocked' });
    }
    for (const path of [
      '/other/files/abc.def',
      '/gw/gw/files/abc.def',
      '/files/abc.def/',
      '/files/abc',
      '/files/a.b.c',
      '/files/%61.b',
      '/files/a.b?x',
    ])
      await expect(outbound.request({ url: base + path })).rejects.toMatchObject({ kind: 'blocked' });
    expect(own.hits - before).toBe(4);
    await outbound.close();
    const closed = opened({ ...address, OUTBOUND_REFUSE: `127.0.0.1:${own.port}` });
    await expect(closed.request({ url: `${base}/files/abc.def` })).rejects.toMatchObject({ kind: 'blocked' });
    await closed.close();
  });

  test('the addresses of the service come from HOST, PORT, BASE_URL, PLATFORM_URL and this machine', () => {
    const { parts, downloadPrefixes } = ownApi(
      readConfig({ BASE_URL: 'https://a.test/x/', PLATFORM_URL: 'http://b.test:81', HOST: '10.0.0.1' }),
    );
    const hosts = [...new Set(parts.map(({ host }) => host))];
    expect([hosts, [...new Set(parts.map(({ port }) => port))]]).toEqual([
      ['127.0.0.1', '10.0.0.1', 'a.test', 'b.test'],
      [8080, 443, 81],
    ]);
    expect([parts.length, downloadPrefixes]).toEqual([12, ['/files/', '/x/files/']]);
  });
});

test("every request on behalf of callers uses the client that knows the service's own addresses", () => {
  const users = execFileSync('git', ['grep', '-lw', 'openOutbound', '--', '*.ts', ':!test'], { encoding: 'utf8' }).trim().split('\n');
  // The operator chooses the model's address, which can be anywhere. The provider kit is not part
  // of the running service.
  expect(users).toEqual(['infra/model.ts', 'infra/outbound.ts', 'infra/service-outbound.ts', 'provider-kit/third-party.ts']);
});

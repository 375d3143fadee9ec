import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { readConfig } from '../../infra/config.ts';
import { openOutbound } from '../../infra/outbound.ts';
import { ownJudge } from '../../infra/outbound-own.ts';
import { ownParts } from '../../infra/own-parts.ts';

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

test('a part of the service on this machine is out of reach by every name and address of it, whatever is allowed', async () => {
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
    const refused = await outbound.request({ url: `http://${host}:${own.port}/`, timeoutMs: 2000 }).catch((error) => error);
    expect([host, refused.kind, refused.message]).toEqual([host, 'blocked', expect.stringMatching(/is a part of this service itself/)]);
  }
  expect(own.hits).toBe(0);
  expect((await outbound.request({ url: `http://127.0.0.1:${other.port}/` })).status).toBe(200);
  await outbound.close();
});

test('a redirect leads to no part of the service either', async () => {
  const outbound = guarded();
  const sender = await aServer(() => `http://elsewhere.test:${own.port}/`);
  await expect(outbound.request({ url: `http://127.0.0.1:${sender.port}/`, redirects: 3 })).rejects.toMatchObject({ kind: 'blocked' });
  expect([sender.hits, own.hits]).toEqual([1, 0]);
  sender.close();
  await outbound.close();
});

test('a part on another machine is told by where its name leads now, and by its port', async () => {
  const judge = ownJudge([{ host: 'db.internal', port: 5432 }], async (host) => (host === 'db.internal' ? ['10.0.0.7', 'fd00::7'] : []));
  expect(await judge(['10.0.0.7'], 5432)).toBe(true);
  expect(await judge(['203.0.113.1', 'fd00:0::7'], 5432)).toBe(true);
  expect(await judge(['::ffff:10.0.0.7'], 5432)).toBe(true);
  expect(await judge(['10.0.0.7'], 443)).toBe(false);
  expect(await judge(['10.0.0.8', '127.0.0.1'], 5432)).toBe(false);
  const lost = ownJudge([{ host: 'gone.internal', port: 443 }], () => Promise.reject(new Error('ENOTFOUND')));
  expect(await lost(['8.8.8.8'], 443)).toBe(false);
});

test('the parts are those that the configuration names: Postgres, Temporal, its UI and whatever OUTBOUND_REFUSE adds', () => {
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

test.each(['8233', 'host', 'host:0', 'host:99999', ':80', 'http://host:80'])('OUTBOUND_REFUSE=%s is refused at the start', (text) => {
  expect(() => ownParts(readConfig({ OUTBOUND_REFUSE: text }))).toThrow(/OUTBOUND_REFUSE holds/);
});

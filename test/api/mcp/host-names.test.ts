import { request } from 'node:http';
import { type ApiBed, openApiBed } from '../api-bed.ts';

const BASE_URL = 'https://gateway.example.com';

let bed: ApiBed;
let behindProxy: ApiBed;
beforeAll(async () => {
  bed = await openApiBed({ HOST: '0.0.0.0', BASE_URL });
  behindProxy = await openApiBed({ HOST: '0.0.0.0', BASE_URL, TRUSTED_PROXIES: '127.0.0.0/8' }, { replicaOf: bed });
}, 120_000);
afterAll(() => Promise.all([behindProxy?.close(), bed?.close()]));

function statusUnder(host: string, { apiUrl }: ApiBed = bed): Promise<number | undefined> {
  const { hostname, port } = new URL(apiUrl);
  const path = '/mcp/srv_00000000-0000-4000-8000-000000000000';
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, method: 'POST', headers: { host, 'content-type': 'application/json' } }, (answer) =>
      resolve(answer.resume().statusCode),
    )
      .on('error', reject)
      .end('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  });
}

describe('a service that other machines can reach', () => {
  test.each(['rebound.example', 'rebound.example:8080', 'rebound.example.', 'gateway.example.com.evil.example', '10.0.0.7.evil.example'])(
    'is not reachable as %s, because a foreign site can have this name (DNS rebinding)',
    async (host) => {
      expect(await statusUnder(host)).toBe(403);
    },
  );

  test.each(['gateway.example.com', 'localhost:8080', '127.0.0.1', '10.0.0.7:8080', '[fd00::7]:8080', 'api:8080'])(
    'is reachable as %s',
    async (host) => {
      expect(await statusUnder(host)).toBe(401);
    },
  );

  test('accepts any host name from its proxy, because a proxy can rewrite the name', async () => {
    expect(await statusUnder('gateway.default.svc.cluster.local', behindProxy)).toBe(401);
  });
});

import { type ApiBed, openApiBed } from './api-bed.ts';

const APP = 'https://app.example.com';
const WORKSPACES = '/api/v1/workspaces';

let bed: ApiBed;
let open: ApiBed;
let closed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed({ CORS_ORIGINS: `${APP}/, https://Other.example.com:443`, RATE_LIMIT_PER_SECOND: '50' });
  open = await openApiBed({ CORS_ORIGINS: '*' });
  closed = await openApiBed();
});
afterAll(() => Promise.all([bed, open, closed].map((one) => one.close())));

const preflight = (on: ApiBed, path: string, origin: string) =>
  fetch(`${on.apiUrl}${path}`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type' },
  });
const call = (on: ApiBed, path: string, origin: string, key = on.plainKey) =>
  fetch(`${on.apiUrl}${path}`, { headers: { origin, authorization: `Bearer ${key}` } });
const corsHeaders = ({ headers }: Response) => [...headers.keys()].filter((name) => name.startsWith('access-control-'));

test('a preflight request from an allowed origin needs no key', async () => {
  const answer = await preflight(bed, WORKSPACES, APP);
  expect(answer.status).toBe(204);
  const { headers } = answer;
  expect(headers.get('access-control-allow-origin')).toBe(APP);
  expect(headers.get('access-control-allow-methods')).toBe('GET,HEAD,POST,PATCH,DELETE');
  for (const name of ['Authorization', 'Content-Type', 'X-Request-Id', 'If-None-Match', 'X-Svc-Source'])
    expect(headers.get('access-control-allow-headers')!.split(',')).toContain(name);
  expect(Number(headers.get('access-control-max-age'))).toBeGreaterThan(0);
  expect(headers.get('access-control-allow-credentials')).toBeNull();
  expect(headers.get('vary')).toContain('Origin');
});

test('an allowed origin can read answers and headers, also of errors, and cannot send cookies', async () => {
  for (const [path, key, status] of [
    [WORKSPACES, bed.plainKey, 200],
    [WORKSPACES, 'svc_nobody', 401],
    ['/api/v1/nothing', bed.plainKey, 404],
    ['/openapi.json', bed.plainKey, 200],
  ] as const) {
    const answer = await call(bed, path, APP, key);
    expect([path, answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([path, status, APP]);
    const readable = answer.headers.get('access-control-expose-headers')!.split(',');
    for (const name of ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After', 'ETag'])
      expect(readable).toContain(name);
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  }
});

test('origins are compared in the form that browsers send', async () => {
  expect((await preflight(bed, WORKSPACES, 'https://other.example.com')).status).toBe(204);
});

test.each([
  'https://evil.example.com',
  'https://app.example.com.evil.com',
  'http://app.example.com',
  'https://app.example.com:8443',
  'null',
  'https://sub.app.example.com',
])('an answer to the origin %s has no CORS header', async (origin) => {
  const asked = await preflight(bed, WORKSPACES, origin);
  expect([asked.status, corsHeaders(asked)]).toEqual([405, []]);
  const called = await call(bed, WORKSPACES, origin);
  expect([called.status, corsHeaders(called), called.headers.get('vary')]).toEqual([200, [], 'Origin, Accept-Encoding']);
});

test('hosted pages, MCP and the docs allow no other origin', async () => {
  for (const path of [
    '/approve/apr_x',
    '/mcp/srv_00000000-0000-4000-8000-000000000000',
    '/docs',
    '/files/x',
    '/connect/portal',
    '/health',
  ]) {
    expect([path, corsHeaders(await preflight(bed, path, APP))]).toEqual([path, []]);
    expect([path, corsHeaders(await call(bed, path, APP))]).toEqual([path, []]);
  }
});

test('the setting * allows every origin, but no cookies', async () => {
  const answer = await call(open, WORKSPACES, 'https://anything.example');
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  expect((await preflight(open, WORKSPACES, 'https://anything.example')).status).toBe(204);
});

test('without the setting, no origin is allowed', async () => {
  expect(corsHeaders(await call(closed, WORKSPACES, APP))).toEqual([]);
  expect((await preflight(closed, WORKSPACES, APP)).status).toBe(405);
});

test('answers vary by API key, so that caches keep the catalogues of different keys apart', async () => {
  expect((await call(bed, '/api/v1/integrations?summary=true', APP)).headers.get('vary')).toBe('Origin, Authorization, Accept-Encoding');
});

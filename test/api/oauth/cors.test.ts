import { readConfig } from '../../../infra/config.ts';
import { aPerson, aServer, callServer, type OAuthBed, openOAuthBed, tokensFor } from './oauth-bed.ts';

const APP = 'https://inspector.example.com';
const UNKNOWN = '/mcp/srv_00000000-0000-4000-8000-000000000000';

let bed: OAuthBed;
let server: { id: string; mcpEndpoint: string };
beforeAll(async () => {
  bed = await openOAuthBed({ MCP_CORS_ORIGINS: `${APP}/` });
  server = await aServer(bed);
}, 120_000);
afterAll(() => bed?.close());

const preflight = (path: string, method: string, origin = APP) =>
  fetch(bed.apiUrl + path, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'authorization,mcp-protocol-version' },
  });
const shared = ({ headers }: Response) => headers.get('access-control-allow-origin');

describe('a client in a browser', () => {
  test.each([
    ['/.well-known/oauth-authorization-server', 'GET'],
    ['/.well-known/openid-configuration', 'GET'],
    ['/oauth/jwks', 'GET'],
    ['/oauth/token', 'POST'],
    ['/oauth/register', 'POST'],
    ['/oauth/revoke', 'POST'],
    ['/oauth/device-authorization', 'POST'],
  ])('pages of every origin can use %s, without cookies', async (path, method) => {
    const asked = await preflight(path, method, 'https://anything.example');
    expect([asked.status, shared(asked)]).toEqual([204, '*']);
    expect(asked.headers.get('access-control-allow-methods')!.split(',')).toContain(method);
    expect(asked.headers.get('access-control-allow-headers')).toBe('authorization,mcp-protocol-version');
    const answer = await fetch(bed.apiUrl + path, { method, headers: { origin: 'https://anything.example' } });
    expect([shared(answer), answer.headers.get('access-control-allow-credentials')]).toEqual(['*', null]);
    expect(answer.headers.get('access-control-expose-headers')!.split(',')).toContain('WWW-Authenticate');
  });

  test.each(['/oauth/authorize', '/oauth/device', '/oauth/interaction/x', '/sign-in', '/account'])(
    '%s is a page with cookies and allows no other origin',
    async (path) => {
      expect(shared(await preflight(path, 'GET'))).toBeNull();
      expect(shared(await fetch(bed.apiUrl + path, { headers: { origin: APP } }))).toBeNull();
    },
  );

  test('an allowed origin can call MCP servers and read their challenge', async () => {
    const asked = await preflight(UNKNOWN, 'POST');
    expect([asked.status, shared(asked), asked.headers.get('access-control-allow-methods')]).toEqual([204, APP, 'POST']);
    expect(asked.headers.get('access-control-allow-headers')).toBe('authorization,mcp-protocol-version');
    const refused = await fetch(server.mcpEndpoint, { method: 'POST', headers: { origin: APP }, body: '{}' });
    expect([refused.status, shared(refused), refused.headers.get('access-control-allow-credentials')]).toEqual([401, APP, null]);
    const readable = refused.headers.get('access-control-expose-headers')!.split(',');
    expect(readable).toEqual(expect.arrayContaining(['WWW-Authenticate', 'Mcp-Session-Id', 'MCP-Protocol-Version']));
  });

  test('a page of an allowed origin can call an MCP server with a token', async () => {
    await aPerson(bed, 'ada@example.com');
    const { access_token } = await tokensFor(bed, server, 'ada@example.com');
    expect((await callServer(server, access_token)).status).toBe(200);
    const answer = await fetch(server.mcpEndpoint, {
      method: 'POST',
      headers: { origin: APP, authorization: `Bearer ${access_token}`, 'content-type': 'application/json', accept: '*/*' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect([answer.status, shared(answer)]).toEqual([200, APP]);
  });

  test.each(['https://evil.example', `${APP}.evil.example`, 'http://inspector.example.com', 'null'])(
    '%s is refused before any token is checked',
    async (origin) => {
      const asked = await preflight(UNKNOWN, 'POST', origin);
      expect([asked.status, shared(asked)]).toEqual([403, null]);
      const called = await fetch(server.mcpEndpoint, { method: 'POST', headers: { origin }, body: '{}' });
      expect([called.status, shared(called)]).toEqual([403, null]);
    },
  );
});

test('by default, no origin is allowed', () => {
  expect(readConfig({}).mcpCorsOrigins).toEqual([]);
});

describe('methods', () => {
  test.each([
    ['GET', '/oauth/token', 'POST'],
    ['GET', '/oauth/register', 'POST'],
    ['PUT', '/oauth/register', 'POST'],
    ['GET', '/oauth/revoke', 'POST'],
    ['GET', '/oauth/device-authorization', 'POST'],
    ['POST', '/oauth/jwks', 'GET, HEAD'],
    ['POST', '/oauth/authorize', 'GET, HEAD'],
    ['POST', '/oauth/authorize/x', 'GET, HEAD'],
    ['DELETE', '/oauth/device', 'GET, HEAD, POST'],
    ['PUT', '/oauth/interaction/x', 'GET, HEAD, POST'],
    ['OPTIONS', '/oauth/token', 'POST'],
    ['POST', '/.well-known/oauth-authorization-server', 'GET, HEAD'],
    ['DELETE', '/.well-known/openid-configuration', 'GET, HEAD'],
    ['POST', '/.well-known/oauth-protected-resource/mcp/srv_00000000-0000-4000-8000-000000000000', 'GET, HEAD'],
    ['PUT', '/sign-in/openid/callback', 'GET, HEAD, POST'],
  ])('%s %s answers 405 and names the allowed methods', async (method, path, allow) => {
    const answer = await fetch(bed.apiUrl + path, { method, headers: { accept: 'application/json' } });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
    expect(await answer.json()).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
  });

  test.each(['/oauth/nothing', '/oauth/register/x', '/oauth/authorize/x/y', '/oauth'])('%s is not an endpoint', async (path) => {
    const answer = await fetch(bed.apiUrl + path);
    expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ code: 'NOT_FOUND' })]);
  });
});

import { createHash } from 'node:crypto';
import {
  aClient,
  anAuthorization,
  aPerson,
  aServer,
  authorize,
  callServer,
  type OAuthBed,
  openOAuthBed,
  postForm,
  REDIRECT_URI,
  signIn,
  tokensFor,
} from './oauth-bed.ts';
import { aBrowser } from './plain-browser.ts';

// Attacks of RFC 9700 on redirects, PKCE, audiences and consent pages.

let bed: OAuthBed;
let server: { id: string; mcpEndpoint: string };
let clientId: string;
beforeAll(async () => {
  bed = await openOAuthBed({ OUTBOUND_ALLOW_HTTP: '' });
  [server, { client_id: clientId }] = await Promise.all([aServer(bed), aClient(bed)]);
  await aPerson(bed, 'ada@example.com');
}, 120_000);
afterAll(() => bed?.close());

describe('redirect addresses', () => {
  test.each([
    ['another host', 'http://evil.example/callback'],
    ['another path', 'http://127.0.0.1:33418/callback/../evil'],
    ['a longer path', 'http://127.0.0.1:33418/callback/evil'],
    ['a query', 'http://127.0.0.1:33418/callback?to=evil'],
    ['user information', 'http://127.0.0.1:33418@evil.example/callback'],
    ['a fragment', 'http://127.0.0.1:33418/callback#x'],
    ['a host with the same beginning', 'http://127.0.0.1.evil.example/callback'],
    ['the same address over https', 'https://127.0.0.1:33418/callback'],
    ['no address', ''],
  ])('no redirect follows if a request names another address than the registered one: %s', async (_, redirect_uri) => {
    const browser = aBrowser();
    await browser.open(anAuthorization(bed, clientId, server.mcpEndpoint, { redirect_uri }).url);
    expect(browser.leftTo).toBeUndefined();
    expect(browser.status).toBe(400);
  });

  test('a loopback address can have any port (RFC 8252 section 7.3)', async () => {
    const redirect_uri = 'http://127.0.0.1:50123/callback';
    const target = await authorize(bed, anAuthorization(bed, clientId, server.mcpEndpoint, { redirect_uri }).url, 'ada@example.com');
    expect(target.host).toBe('127.0.0.1:50123');
  });

  test.each(['javascript:alert(1)', 'data:text/html,x', 'http://evil.example/', 'https://x.example/#y'])(
    '%s cannot be registered',
    async (uri) => {
      for (const application_type of [undefined, 'native', 'web'])
        await expect(aClient(bed, { redirect_uris: [uri], application_type })).rejects.toThrow(/^400 /);
    },
  );
});

describe('PKCE', () => {
  test.each([
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }],
    ['plain', { code_challenge_method: 'plain' }],
  ])('%s is refused', async (_, parameters) => {
    const browser = aBrowser();
    await browser.open(anAuthorization(bed, clientId, server.mcpEndpoint, parameters).url);
    expect(browser.leftTo?.searchParams.get('error')).toBe('invalid_request');
    expect(browser.leftTo?.searchParams.get('iss')).toBe(bed.apiUrl);
  });

  test('a code is not exchanged with a wrong verifier', async () => {
    const { url } = anAuthorization(bed, clientId, server.mcpEndpoint);
    const code = (await authorize(bed, url, 'ada@example.com')).searchParams.get('code')!;
    const exchange = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, client_id: clientId };
    for (const code_verifier of ['', 'x'.repeat(43), createHash('sha256').update('x').digest('base64url')])
      expect(await postForm(bed, '/oauth/token', { ...exchange, code_verifier })).toMatchObject({ status: 400 });
  });
});

describe('the audience of a token', () => {
  test('a token for one server is refused by another server and by the REST API', async () => {
    const other = await aServer(bed, { name: 'Other' });
    const { access_token } = await tokensFor(bed, server, 'ada@example.com');
    expect((await callServer(server, access_token)).status).toBe(200);
    const refused = await callServer(other, access_token);
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
    const rest = await fetch(`${bed.apiUrl}/api/v1/workspaces`, { headers: { Authorization: `Bearer ${access_token}` } });
    expect(rest.status).toBe(401);
  });

  test.each([
    ['no resource', undefined],
    ['another service', 'https://mcp.example/mcp/srv_00000000-0000-4000-8000-000000000000'],
    ['an unknown server', 'SELF/mcp/srv_00000000-0000-4000-8000-000000000000'],
    ['the service itself', 'SELF/'],
    ['a fragment', 'SELF/mcp/srv_00000000-0000-4000-8000-000000000000#x'],
  ])('a request for %s is refused', async (_, resource) => {
    const browser = aBrowser();
    await browser.open(anAuthorization(bed, clientId, server.mcpEndpoint, { resource: resource?.replace('SELF', bed.apiUrl) }).url);
    expect(browser.leftTo?.searchParams.get('error')).toBe('invalid_target');
  });

  test('a code for one server cannot be exchanged for a token for another server', async () => {
    const other = await aServer(bed, { name: 'Other' });
    const { url, verifier } = anAuthorization(bed, clientId, server.mcpEndpoint);
    const code = (await authorize(bed, url, 'ada@example.com')).searchParams.get('code')!;
    const exchange = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, client_id: clientId, code_verifier: verifier };
    expect(await postForm(bed, '/oauth/token', { ...exchange, resource: other.mcpEndpoint })).toMatchObject({
      ...{ status: 400, body: { error: 'invalid_target' } },
    });
  });

  test('a server that accepts only bearer tokens is no OAuth resource', async () => {
    const bearer = await aServer(bed, { name: 'Bearer', authMode: 'bearer' });
    const browser = aBrowser();
    await browser.open(anAuthorization(bed, clientId, bearer.mcpEndpoint).url);
    expect(browser.leftTo?.searchParams.get('error')).toBe('invalid_target');
    const metadata = await fetch(`${bed.apiUrl}/.well-known/oauth-protected-resource/mcp/srv_${bearer.id}`);
    expect(metadata.status).toBe(404);
  });

  test('a code for one client cannot be used by another client', async () => {
    const { client_id: thief } = await aClient(bed);
    const { url, verifier } = anAuthorization(bed, clientId, server.mcpEndpoint);
    const code = (await authorize(bed, url, 'ada@example.com')).searchParams.get('code')!;
    const exchange = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier: verifier };
    expect(await postForm(bed, '/oauth/token', { ...exchange, client_id: thief })).toMatchObject({ body: { error: 'invalid_grant' } });
  });
});

describe('access to a server', () => {
  test('a restricted server accepts only known end users of its workspace', async () => {
    const browser = aBrowser();
    await browser.open(anAuthorization(bed, clientId, server.mcpEndpoint).url);
    await signIn(bed, browser, 'mallory@example.com');
    expect([browser.status, browser.html]).toEqual([403, expect.stringContaining('No access')]);
    await browser.post(browser.path, { decision: 'allow' });
    expect(browser.leftTo).toBeUndefined();
    expect(browser.status).toBe(403);
  });

  test('on a restricted server, an e-mail address of two end users cannot sign in', async () => {
    for (const externalId of ['twin 1', 'twin 2'])
      await bed.api.must(201).post('/api/v1/end-users', { workspaceId: bed.workspaceId, externalId, email: 'twin@example.com' });
    const browser = aBrowser();
    await browser.open(anAuthorization(bed, clientId, server.mcpEndpoint).url);
    await signIn(bed, browser, 'Twin@Example.com');
    expect(browser.status).toBe(403);
  });

  test.each<[string, { email: string; externalId: string; own: unknown }]>([
    ['the address is no external id', { email: 'pair@example.com', externalId: 'pair 1', own: 'pair@example.com' }],
    [
      'the address is the external id of one',
      { email: 'peer@example.com', externalId: 'peer@example.com', own: expect.stringMatching(/^identity:/) },
    ],
  ])('on an open server, a person whose address belongs to two end users gets a third (%s)', async (_, person) => {
    const { email, externalId, own } = person;
    const open = await aServer(bed, { name: 'Open', endUserAccess: 'open' });
    const add = (fields: object) => bed.api.must(201).post('/api/v1/end-users', { workspaceId: bed.workspaceId, email, ...fields });
    await Promise.all([add({ externalId }), aPerson(bed, email)]);
    for (let times = 0; times < 2; times += 1) await tokensFor(bed, open, email, clientId);
    const endUsers = bed.gateway.db('mcp_tokens').where({ server_id: open.id }).select('end_user_id');
    expect(await bed.gateway.db('end_users').whereIn('id', endUsers).select('external_id')).toEqual([{ external_id: own }]);
  });

  test('an open server creates one end user for a person who consents twice', async () => {
    const open = await aServer(bed, { name: 'Open', endUserAccess: 'open' });
    for (let times = 0; times < 2; times += 1) await tokensFor(bed, open, 'new@example.com', clientId);
    const { endUsers } = await bed.api.must(200).get(`/api/v1/end-users?workspaceId=${bed.workspaceId}&limit=100`);
    expect(endUsers.filter(({ email }: { email: string }) => email === 'new@example.com')).toEqual([
      expect.objectContaining({ externalId: 'new@example.com' }),
    ]);
  });

  test('after a person’s end user is deleted, the refresh token gets no new token', async () => {
    const { id } = await aPerson(bed, 'gone@example.com');
    const { refresh_token, access_token, client_id } = await tokensFor(bed, server, 'gone@example.com');
    await bed.api.must(200).delete(`/api/v1/end-users/${id}`);
    expect((await callServer(server, access_token)).status).toBe(401);
    const refreshed = await postForm(bed, '/oauth/token', { grant_type: 'refresh_token', refresh_token, client_id });
    expect(refreshed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });
});

describe('pages', () => {
  test('a form from another site grants no access', async () => {
    const browser = aBrowser();
    await browser.open(anAuthorization(bed, clientId, (await aServer(bed, { name: 'Fresh' })).mcpEndpoint).url);
    await signIn(bed, browser, 'ada@example.com');
    const crossSite = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' };
    const answer = await fetch(browser.url, {
      method: 'POST',
      headers: crossSite,
      body: new URLSearchParams({ decision: 'allow' }),
      redirect: 'manual',
    });
    expect(answer.status).toBe(403);
  });

  test('an interaction can be opened only in the browser that started it', async () => {
    const browser = aBrowser();
    await browser.open(anAuthorization(bed, clientId, (await aServer(bed, { name: 'Fresh' })).mcpEndpoint).url);
    await signIn(bed, browser, 'ada@example.com');
    const [elsewhere, url] = [aBrowser(), browser.url];
    await elsewhere.open(url);
    expect(elsewhere.status).toBe(404);
  });

  test('a page reports an unknown client; no redirect follows', async () => {
    const browser = aBrowser();
    await browser.open(anAuthorization(bed, 'nobody', server.mcpEndpoint).url);
    expect([browser.status, browser.leftTo]).toEqual([400, undefined]);
    expect(browser.html).toContain('invalid_client');
  });

  test('a client’s chosen name is escaped and shown with the redirect destination', async () => {
    const { client_id } = await aClient(bed, {
      client_name: '<script>alert(1)</script>',
      redirect_uris: ['https://look-alike.example/cb'],
    });
    const browser = aBrowser();
    await browser.open(anAuthorization(bed, client_id, server.mcpEndpoint, { redirect_uri: 'https://look-alike.example/cb' }).url);
    await signIn(bed, browser, 'ada@example.com');
    expect(browser.html).not.toContain('<script>alert');
    expect(browser.html).toContain('look-alike.example');
  });
});

describe('client metadata documents', () => {
  test.each([
    'https://127.0.0.1/client',
    'https://localhost/client',
    'https://[::1]/client',
    'https://169.254.169.254/latest',
    'https://10.0.0.1/c',
  ])('the client id %s is refused', async (id) => {
    const browser = aBrowser();
    await browser.open(anAuthorization(bed, id, server.mcpEndpoint).url);
    expect([browser.status, browser.leftTo]).toEqual([400, undefined]);
  });
});

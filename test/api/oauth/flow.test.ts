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

let bed: OAuthBed;
beforeAll(async () => {
  bed = await openOAuthBed();
}, 120_000);
afterAll(() => bed?.close());

test('a client finds the authorization server through the challenge of an MCP server', async () => {
  const server = await aServer(bed);
  const { status, headers } = await callServer(server, undefined);
  expect(status).toBe(401);
  const url = /resource_metadata="([^"]+)"/.exec(headers.get('www-authenticate')!)![1]!;
  expect(headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${url}", scope="mcp:tools"`);
  expect(new URL(url).pathname).toBe(`/.well-known/oauth-protected-resource/mcp/srv_${server.id}`);
  const resource = await (await fetch(url)).json();
  expect(resource).toEqual({
    ...{ resource: server.mcpEndpoint, resource_name: 'Helpdesk', authorization_servers: [bed.apiUrl] },
    ...{ scopes_supported: ['mcp:tools'], bearer_methods_supported: ['header'] },
  });
  const metadata = (await (await fetch(`${bed.apiUrl}/.well-known/oauth-authorization-server`)).json()) as Record<string, string>;
  expect(metadata).toMatchObject({ issuer: bed.apiUrl, code_challenge_methods_supported: ['S256'] });
  for (const name of ['authorization', 'token', 'registration', 'revocation', 'device_authorization'])
    expect(new URL(metadata[`${name}_endpoint`]!).origin).toBe(bed.apiUrl);
});

test('after consent, a client’s token calls the server as the person who signed in', async () => {
  const [server, person] = await Promise.all([aServer(bed), aPerson(bed, 'ada@example.com')]);
  const { client_id } = await aClient(bed);
  const { url, state, verifier } = anAuthorization(bed, client_id, server.mcpEndpoint);
  const browser = aBrowser();
  await browser.open(url);
  expect(browser.path).toBe('/sign-in');
  await signIn(bed, browser, 'ada@example.com');
  expect(browser.html).toContain('Desk agent');
  expect(browser.html).toContain('Helpdesk');
  expect(browser.html).toContain('ada@example.com');
  await browser.submit({}, 'Allow');
  const answer = browser.leftTo!;
  expect(`${answer.origin}${answer.pathname}`).toBe(REDIRECT_URI);
  expect(Object.fromEntries(answer.searchParams)).toEqual({ code: expect.any(String), state, iss: bed.apiUrl });
  const exchange = { grant_type: 'authorization_code', code: answer.searchParams.get('code')!, redirect_uri: REDIRECT_URI, client_id };
  const { status, body, headers } = await postForm(bed, '/oauth/token', { ...exchange, code_verifier: verifier });
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      access_token: expect.stringMatching(/^mcpo_/),
      refresh_token: expect.stringMatching(/^mcpr_/),
      token_type: 'Bearer',
      expires_in: 900,
      scope: 'mcp:tools',
    },
  });
  expect(headers.get('cache-control')).toContain('no-store');
  expect((await callServer(server, body.access_token)).status).toBe(200);
  const row = await bed.gateway.db('mcp_tokens').where({ client_id }).first();
  expect(row).toMatchObject({ end_user_id: person.id, scopes: ['mcp:tools'], kind: 'oauth', token_prefix: body.access_token.slice(0, 13) });
});

test('consent is remembered for a client and server; another server needs its own consent', async () => {
  const [server, other] = await Promise.all([aServer(bed), aServer(bed, { name: 'Other' }), aPerson(bed, 'bo@example.com')]);
  const { client_id } = await aClient(bed);
  const browser = aBrowser();
  await authorize(bed, anAuthorization(bed, client_id, server.mcpEndpoint).url, 'bo@example.com', browser);
  await browser.open(anAuthorization(bed, client_id, server.mcpEndpoint).url);
  expect(browser.leftTo?.searchParams.get('code')).toEqual(expect.any(String));
  await browser.open(anAuthorization(bed, client_id, other.mcpEndpoint).url);
  expect(browser.leftTo).toBeUndefined();
  expect(browser.html).toContain('Other');
  await browser.submit({}, 'Deny');
  expect(browser.leftTo?.searchParams.get('error')).toBe('access_denied');
});

test('after a sign-in, an HTML refresh leads to a client that already has consent', async () => {
  const [server] = await Promise.all([aServer(bed), aPerson(bed, 'ivy@example.com')]);
  const { client_id } = await aClient(bed);
  const [first, second] = [aBrowser(), aBrowser()];
  await first.open(anAuthorization(bed, client_id, server.mcpEndpoint).url);
  await signIn(bed, first, 'ivy@example.com');
  expect([first.path.startsWith('/oauth/interaction/'), first.refreshes]).toEqual([true, 0]);
  await first.submit({}, 'Allow');
  await second.open(anAuthorization(bed, client_id, server.mcpEndpoint).url);
  await signIn(bed, second, 'ivy@example.com');
  // Browsers also check redirects after a form against `form-action`, so the page uses an HTML
  // refresh.
  expect([second.leftTo?.searchParams.get('code'), second.refreshes]).toEqual([expect.any(String), 1]);
});

test('a refresh for another resource is refused and leaves the refresh token valid', async () => {
  const [server, other] = await Promise.all([aServer(bed), aServer(bed, { name: 'Other' }), aPerson(bed, 'jon@example.com')]);
  const { client_id, refresh_token } = await tokensFor(bed, server, 'jon@example.com');
  const refresh = (resource?: string) =>
    postForm(bed, '/oauth/token', { grant_type: 'refresh_token', refresh_token, client_id, ...(resource && { resource }) });
  for (const resource of [other.mcpEndpoint, 'https://elsewhere.example/mcp', 'no url'])
    expect(await refresh(resource)).toMatchObject({ status: 400, body: { error: 'invalid_target' } });
  const { status, body } = await refresh(server.mcpEndpoint);
  expect([status, (await callServer(server, body.access_token)).status]).toEqual([200, 200]);
});

test('after an end user is deleted, remembered consent gives access only to open servers', async () => {
  const [closed, open] = await Promise.all([aServer(bed), aServer(bed, { name: 'Open', endUserAccess: 'open' })]);
  const [{ client_id }, person, browser] = [await aClient(bed), await aPerson(bed, 'kim@example.com'), aBrowser()];
  const request = ({ mcpEndpoint }: { mcpEndpoint: string }) => anAuthorization(bed, client_id, mcpEndpoint).url;
  for (const server of [closed, open]) await authorize(bed, request(server), 'kim@example.com', browser);
  await bed.api.must(200).delete(`/api/v1/end-users/${person.id}`);
  await browser.open(request(closed));
  expect([browser.status, browser.leftTo, browser.html]).toEqual([403, undefined, expect.stringContaining('no access to this server')]);
  const { url, verifier } = anAuthorization(bed, client_id, open.mcpEndpoint);
  const code = (await authorize(bed, url, 'kim@example.com', browser)).searchParams.get('code')!;
  const exchange = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, client_id, code_verifier: verifier };
  const { body } = await postForm(bed, '/oauth/token', exchange);
  expect((await callServer(open, body.access_token)).status).toBe(200);
});

test('a refresh token is valid once; a second use revokes every token of its grant', async () => {
  const [server] = await Promise.all([aServer(bed), aPerson(bed, 'cy@example.com')]);
  const { client_id, refresh_token } = await tokensFor(bed, server, 'cy@example.com');
  const refresh = (token: string) => postForm(bed, '/oauth/token', { grant_type: 'refresh_token', refresh_token: token, client_id });
  const { body: fresh } = await refresh(refresh_token);
  expect(fresh.refresh_token).not.toBe(refresh_token);
  expect((await callServer(server, fresh.access_token)).status).toBe(200);
  expect(await refresh(refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  expect((await callServer(server, fresh.access_token)).status).toBe(401);
  expect((await refresh(fresh.refresh_token)).status).toBe(400);
});

test('a code is valid once; a second use revokes the tokens of the first use', async () => {
  const [server] = await Promise.all([aServer(bed), aPerson(bed, 'di@example.com')]);
  const { access_token, exchange } = await tokensFor(bed, server, 'di@example.com');
  expect((await callServer(server, access_token)).status).toBe(200);
  expect(await postForm(bed, '/oauth/token', exchange)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  expect((await callServer(server, access_token)).status).toBe(401);
});

test('of many concurrent uses of one code, at most one gets tokens', async () => {
  const [server, { client_id }] = await Promise.all([aServer(bed), aClient(bed), aPerson(bed, 'ed@example.com')]);
  const { url, verifier } = anAuthorization(bed, client_id, server.mcpEndpoint);
  const code = (await authorize(bed, url, 'ed@example.com')).searchParams.get('code')!;
  const exchange = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, client_id, code_verifier: verifier };
  const answers = await Promise.all(Array.from({ length: 8 }, () => postForm(bed, '/oauth/token', exchange)));
  expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  expect(new Set(answers.map(({ status }) => status))).toContain(400);
  expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
});

test('a revoked token is refused', async () => {
  const [server] = await Promise.all([aServer(bed), aPerson(bed, 'flo@example.com')]);
  const { access_token, refresh_token, client_id } = await tokensFor(bed, server, 'flo@example.com');
  expect((await postForm(bed, '/oauth/revoke', { token: access_token, client_id })).status).toBe(200);
  expect((await callServer(server, access_token)).status).toBe(401);
  expect((await postForm(bed, '/oauth/revoke', { token: refresh_token, client_id })).status).toBe(200);
  const refreshed = await postForm(bed, '/oauth/token', { grant_type: 'refresh_token', refresh_token, client_id });
  expect(refreshed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
});

test('revoking a refresh token revokes exactly its own grant (RFC 7009 section 2.1)', async () => {
  const [server] = await Promise.all([aServer(bed), aPerson(bed, 'gus@example.com')]);
  const { access_token, refresh_token, client_id } = await tokensFor(bed, server, 'gus@example.com');
  const another = await tokensFor(bed, server, 'gus@example.com');
  const refresh = (token: string) => postForm(bed, '/oauth/token', { grant_type: 'refresh_token', refresh_token: token, client_id });
  const { body: fresh } = await refresh(refresh_token);
  for (const token of [access_token, fresh.access_token]) expect((await callServer(server, token)).status).toBe(200);
  const revoked = await postForm(bed, '/oauth/revoke', { token: fresh.refresh_token, token_type_hint: 'refresh_token', client_id });
  expect(revoked.status).toBe(200);
  for (const token of [access_token, fresh.access_token]) expect((await callServer(server, token)).status).toBe(401);
  expect(await refresh(fresh.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  expect((await callServer(server, another.access_token)).status).toBe(200);
});

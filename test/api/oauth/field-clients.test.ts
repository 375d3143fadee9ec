import { acceptMetadata } from '../../../api/oauth/read-registration.ts';
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

// Requests as real clients and browsers send them.

let bed: OAuthBed;
let server: { id: string; mcpEndpoint: string };
beforeAll(async () => {
  bed = await openOAuthBed();
  server = await aServer(bed);
  await Promise.all([aPerson(bed, 'ada@example.com'), aPerson(bed, 'bob@example.com')]);
}, 120_000);
afterAll(() => bed?.close());

test.each(['openid', 'offline_access', 'openid profile email offline_access mcp:tools', 'mcp:tools foo'])(
  'a client that requests "%s" gets the supported scopes',
  async (scope) => {
    const { client_id } = await aClient(bed);
    const { url, verifier } = anAuthorization(bed, client_id, server.mcpEndpoint, { scope });
    const code = (await authorize(bed, url, 'ada@example.com')).searchParams.get('code')!;
    const exchange = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, client_id, code_verifier: verifier };
    expect(await postForm(bed, '/oauth/token', exchange)).toMatchObject({ status: 200, body: { scope: 'mcp:tools' } });
  },
);

test.each(['mcp:code', 'foo', 'foo openid'])('"%s" has no scope of a TOOLS server and is refused immediately', async (scope) => {
  const { client_id } = await aClient(bed);
  const { url, state } = anAuthorization(bed, client_id, server.mcpEndpoint, { scope });
  const browser = aBrowser();
  await browser.open(url);
  const refusal = { error: 'invalid_scope', error_description: expect.stringContaining('mcp:tools'), iss: bed.apiUrl, state };
  expect(Object.fromEntries(browser.leftTo!.searchParams)).toMatchObject(refusal);
});

test('a request with several resources is refused', async () => {
  const { client_id } = await aClient(bed);
  const other = await aServer(bed, { name: 'Other' });
  const browser = aBrowser();
  await browser.open(`${anAuthorization(bed, client_id, server.mcpEndpoint).url}&resource=${encodeURIComponent(other.mcpEndpoint)}`);
  expect(browser.leftTo?.searchParams.get('error')).toBe('invalid_target');
});

test('the consent page asks the person who signed in last in the browser', async () => {
  const { client_id } = await aClient(bed);
  const browser = aBrowser();
  await authorize(bed, anAuthorization(bed, client_id, server.mcpEndpoint).url, 'ada@example.com', browser);
  await browser.open(`${bed.apiUrl}/sign-in`);
  await signIn(bed, browser, 'bob@example.com');
  await browser.open(anAuthorization(bed, client_id, server.mcpEndpoint).url);
  expect(browser.html).toContain('bob@example.com');
  const consentOfBob = browser.url;
  await browser.open(`${bed.apiUrl}/sign-in`);
  await signIn(bed, browser, 'ada@example.com');
  await browser.open(consentOfBob);
  await browser.post(consentOfBob, { decision: 'allow' });
  expect(browser.status).toBeLessThan(500);
});

test('a client whose name has control characters gets a token', async () => {
  const { client_id } = await aClient(bed, { client_name: 'De\0sk' });
  expect(await tokensFor(bed, server, 'ada@example.com', client_id)).toMatchObject({ scope: 'mcp:tools' });
  expect(await bed.gateway.db('mcp_tokens').where({ client_id }).first()).toMatchObject({ client_name: 'Desk' });
});

test('an e-mail address with control characters is invalid', async () => {
  const browser = aBrowser();
  await browser.open(`${bed.apiUrl}/sign-in`);
  await browser.submit({ email: 'a\0b@example.com' });
  expect(browser.status).toBe(400);
});

test('concurrent refreshes with one token leave no valid token', async () => {
  const { refresh_token, client_id } = await tokensFor(bed, server, 'ada@example.com');
  const refresh = (token: string) => postForm(bed, '/oauth/token', { grant_type: 'refresh_token', refresh_token: token, client_id });
  const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(refresh_token)));
  expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  for (const { body } of answers.filter(({ status }) => status === 200)) {
    expect((await callServer(server, body.access_token)).status).toBe(401);
    expect((await refresh(body.refresh_token)).status).toBe(400);
  }
});

test('a client metadata document has the same defaults as a registration', () => {
  const document = { client_id: 'https://app.example/client', redirect_uris: ['http://127.0.0.1/callback'], scope: 'mcp:tools' };
  expect(JSON.parse(acceptMetadata(JSON.stringify(document)))).toEqual({
    ...{ client_id: document.client_id, redirect_uris: document.redirect_uris },
    ...{ application_type: 'native', grant_types: ['authorization_code', 'refresh_token'] },
  });
  expect(acceptMetadata('no json')).toBe('no json');
});

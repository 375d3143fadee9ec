import { SOURCE_LIMITS } from '../../../domain/oauth/oauth.ts';
import { aClient, aPerson, aServer, callServer, type OAuthBed, openOAuthBed, postForm, signIn } from './oauth-bed.ts';
import { aBrowser } from './plain-browser.ts';

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';

let bed: OAuthBed;
let server: { id: string; mcpEndpoint: string };
let clientId: string;
beforeAll(async () => {
  bed = await openOAuthBed();
  const client = { client_name: 'Command line', redirect_uris: [], grant_types: [DEVICE, 'refresh_token'], response_types: [] };
  [server, { client_id: clientId }] = await Promise.all([aServer(bed), aClient(bed, client)]);
  await aPerson(bed, 'ada@example.com');
}, 120_000);
afterAll(() => bed?.close());

async function aDevice(scope: Record<string, string> = { scope: 'mcp:tools' }) {
  const asked = { client_id: clientId, resource: server.mcpEndpoint, ...scope };
  const { status, body } = await postForm(bed, '/oauth/device-authorization', asked);
  expect(status).toBe(200);
  const poll = () => postForm(bed, '/oauth/token', { grant_type: DEVICE, device_code: body.device_code, client_id: clientId });
  return { ...(body as { user_code: string; verification_uri: string; verification_uri_complete: string; expires_in: number }), poll };
}

test('a command-line client gets a token after the person consents (RFC 8628)', async () => {
  const device = await aDevice();
  expect(device).toMatchObject({ verification_uri: `${bed.apiUrl}/oauth/device`, expires_in: 600, interval: 5 });
  expect(await device.poll()).toMatchObject({ status: 400, body: { error: 'authorization_pending' } });
  const browser = aBrowser();
  await browser.open(device.verification_uri);
  await browser.submit({ user_code: device.user_code.toLowerCase() });
  expect(browser.html).toContain(device.user_code);
  expect(browser.html).toContain('Command line');
  await browser.submit({}, 'Yes, go on');
  await signIn(bed, browser, 'ada@example.com');
  expect(browser.html).toContain('the device that shows the code');
  await browser.submit({}, 'Allow');
  expect(browser.html).toContain('Connected');
  const { status, body } = await device.poll();
  expect([status, body.access_token]).toEqual([200, expect.stringMatching(/^mcpo_/)]);
  expect((await callServer(server, body.access_token)).status).toBe(200);
  expect(await device.poll()).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
});

test('the address with the code fills in the code and confirms nothing (RFC 8628, 3.3.1)', async () => {
  const device = await aDevice();
  expect(device.verification_uri_complete).toBe(`${device.verification_uri}?user_code=${device.user_code}`);
  const { headers } = await fetch(device.verification_uri_complete, { headers: { Accept: 'text/html' } });
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(headers.get('cache-control')).toContain('no-store');
  const browser = aBrowser();
  await browser.open(device.verification_uri_complete);
  expect(browser.html).not.toContain('<script');
  expect(browser.html).toContain('<h1>Connect a device</h1>');
  const [, filledIn] = /name="user_code"[^>]* value="([^"]*)"/.exec(browser.html) ?? [];
  expect(filledIn).toBe(device.user_code);
  await browser.submit({ user_code: filledIn! }, 'Continue');
  expect(browser.html).toContain('Is this your code?');
  expect(await device.poll()).toMatchObject({ status: 400, body: { error: 'authorization_pending' } });
  await browser.submit({}, 'Yes, go on');
  await signIn(bed, browser, 'ada@example.com');
  if (browser.html.includes('Deny')) await browser.submit({}, 'Allow');
  expect((await device.poll()).status).toBe(200);
});

test('the page escapes the code from the address', async () => {
  const browser = aBrowser();
  await browser.open(`${bed.apiUrl}/oauth/device?user_code=${encodeURIComponent('"><script>alert(1)</script>')}`);
  expect([browser.status, browser.html]).toEqual([200, expect.not.stringContaining('<script')]);
});

test('a source address can enter only a limited number of codes (RFC 8628, 5.1)', async () => {
  const { db } = bed.gateway;
  const { requests, seconds } = SOURCE_LIMITS['device-code'];
  const { user_code } = await aDevice();
  const browser = aBrowser();
  await browser.open(`${bed.apiUrl}/oauth/device`);
  await browser.submit({ user_code: 'BCDF-GHJK' });
  await db('request_counts')
    .where({ purpose: 'device-code' })
    .update({ total: requests - 1 });
  await browser.submit({ user_code: 'BCDF-GHJK' });
  expect(browser.html).toContain('This code does not exist');
  await browser.submit({ user_code });
  expect([browser.status, browser.html]).toEqual([429, expect.stringContaining('Too many codes')]);
  expect(browser.html).not.toContain(user_code);
  const program = { method: 'POST', headers: { Accept: 'application/json' }, body: new URLSearchParams({ user_code }) };
  const answer = await fetch(`${bed.apiUrl}/oauth/device`, program);
  expect([answer.status, await answer.json()]).toEqual([429, expect.objectContaining({ code: 'RATE_LIMITED' })]);
  const waitSeconds = Number(answer.headers.get('retry-after'));
  expect(waitSeconds > 0 && waitSeconds <= seconds).toBe(true);
  await db('request_counts').where({ purpose: 'device-code' }).update({ ends_at: db.fn.now() });
  await browser.open(`${bed.apiUrl}/oauth/device`);
  await browser.submit({ user_code });
  expect(browser.html).toContain('Is this your code?');
});

test.each<Record<string, string>>([{}, { scope: '' }, { scope: 'openid offline_access' }])(
  'a device that requests %j gets the scopes of the server',
  async (scope) => {
    const device = await aDevice(scope);
    const browser = aBrowser();
    await browser.open(device.verification_uri);
    await browser.submit({ user_code: device.user_code });
    await browser.submit({}, 'Yes, go on');
    await signIn(bed, browser, 'ada@example.com');
    if (browser.html.includes('Deny')) await browser.submit({}, 'Allow');
    expect(await device.poll()).toMatchObject({ status: 200, body: { scope: 'mcp:tools' } });
  },
);

test('a device that requests only scopes that the server lacks is refused immediately', async () => {
  const asked = { client_id: clientId, resource: server.mcpEndpoint, scope: 'mcp:code' };
  expect(await postForm(bed, '/oauth/device-authorization', asked)).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
});

test('a request for a device authorization is refused if it is no form or too large', async () => {
  const post = (type: string, body: string) =>
    fetch(`${bed.apiUrl}/oauth/device-authorization`, { method: 'POST', headers: { 'content-type': type }, body });
  expect((await post('application/json', '{}')).status).toBe(400);
  expect((await post('application/x-www-form-urlencoded', `client_id=${'x'.repeat(70_000)}`)).status).toBe(400);
});

test('the flow ends if the person declines', async () => {
  const device = await aDevice();
  const browser = aBrowser();
  await browser.open(device.verification_uri);
  await browser.submit({ user_code: device.user_code });
  await browser.submit({}, 'No');
  expect(await device.poll()).toMatchObject({ status: 400, body: { error: 'access_denied' } });
});

test('an unknown code, or a form without the CSRF value of the page, starts no flow', async () => {
  const browser = aBrowser();
  await browser.open(`${bed.apiUrl}/oauth/device`);
  await browser.submit({ user_code: 'BCDF-GHJK' });
  expect(browser.html).toContain('This code does not exist');
  const { user_code } = await aDevice();
  await browser.post('/oauth/device', { user_code: user_code, confirm: 'yes', xsrf: 'x' });
  expect(browser.html).not.toContain('Allow');
});

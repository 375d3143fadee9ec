import type { IncomingMessage, ServerResponse } from 'node:http';
import { SOURCE_LIMITS } from '../../../domain/oauth/oauth.ts';
import { openOutbound } from '../../../infra/outbound.ts';
import { hostOverrides } from '../../../infra/outbound-override.ts';
import { CERTIFICATE } from '../../infra/outbound-certificate.ts';
import { closeAll, opened, serveTls } from '../../infra/outbound-servers.ts';
import { anAuthorization, aPerson, aServer, type OAuthBed, openOAuthBed, REDIRECT_URI, signIn } from './oauth-bed.ts';
import { aBrowser, type PlainBrowser } from './plain-browser.ts';

// `gateway.test` stands for an external host.

const HOST = 'https://gateway.test';

let bed: OAuthBed;
let server: { id: string; mcpEndpoint: string };
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const fetched: string[] = [];
beforeAll(async () => {
  const port = await serveTls((request, response) => {
    fetched.push(request.url!);
    answer(request, response);
  });
  const overrides = hostOverrides([`gateway.test=127.0.0.1:${port}`]);
  const outbound = opened(openOutbound({ allowHttp: false, allowCidrs: [], overrides }, { ca: CERTIFICATE }));
  bed = await openOAuthBed({ OUTBOUND_ALLOW_HTTP: '', OUTBOUND_ALLOW_CIDRS: '' }, { outbound });
  [server] = await Promise.all([aServer(bed), aPerson(bed, 'ada@example.com')]);
}, 120_000);
afterAll(async () => {
  await bed?.close();
  await closeAll();
});

let documents = 0;

async function openWith(document: object | ((clientId: string) => object), redirectUri = REDIRECT_URI): Promise<PlainBrowser> {
  const clientId = `${HOST}/client-${++documents}`;
  const metadata = { client_id: clientId, client_name: 'Desk agent', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' };
  const sent = typeof document === 'function' ? document(clientId) : { ...metadata, ...document };
  answer = (_, response) => response.setHeader('content-type', 'application/json').end(JSON.stringify(sent));
  return openAs(clientId, redirectUri);
}

async function openAs(clientId: string, redirectUri = REDIRECT_URI): Promise<PlainBrowser> {
  const browser = aBrowser();
  await browser.open(anAuthorization(bed, clientId, server.mcpEndpoint, { redirect_uri: redirectUri }).url);
  if (browser.path === '/sign-in') await signIn(bed, browser, 'ada@example.com');
  return browser;
}

const isRefused = ({ status, leftTo }: PlainBrowser) => status === 400 && leftTo === undefined;

test('the consent page names the host that publishes the client’s metadata document', async () => {
  const browser = await openWith({ client_name: 'Google' });
  expect(browser.html).toContain('Allow Google?');
  expect(browser.html).toMatch(/Published by<\/dt>\s*<dd>gateway\.test<\/dd>/);
});

test.each(['http://localhost:54545/callback', 'http://127.0.0.1:54546/callback'])(
  'a loopback address without a port allows every port: %s',
  async (redirectUri) => {
    const browser = await openWith({ redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'] }, redirectUri);
    await browser.submit({}, 'Allow');
    expect(browser.leftTo?.href).toMatch(new RegExp(`^${redirectUri}\\?code=`));
  },
);

test('a client name is cleaned, and the consent page warns of a name with letters of several alphabets', async () => {
  expect((await openWith({ client_name: '\u202eagent\u202c De\u200bsk' })).html).toContain('Allow agent Desk?');
  expect((await openWith({ client_name: 'Сlaude' })).html).toContain('mixes letters of several alphabets');
});

test('a redirect goes only to an address in the document', async () => {
  expect(isRefused(await openWith({}, 'https://evil.example/callback'))).toBe(true);
  expect(isRefused(await openWith({ redirect_uris: [] }))).toBe(true);
  expect(isRefused(await openWith({ redirect_uris: ['javascript:alert(1)'] }, 'javascript:alert(1)'))).toBe(true);
});

test('the type "web" allows plain HTTP redirects only to listed loopback addresses', async () => {
  const open = (uri: string) => openWith({ application_type: 'web', redirect_uris: [uri] }, uri);
  expect(isRefused(await open('http://evil.example/callback'))).toBe(true);
  for (const uri of ['https://gateway.test/callback', REDIRECT_URI]) expect((await open(uri)).html).toContain('Allow Desk agent?');
});

test.each<[string, object | ((clientId: string) => object)]>([
  ['of another client', { client_id: `${HOST}/another` }],
  ['of another host', { client_id: 'https://claude.example/client' }],
  ['without a client id', () => ({ redirect_uris: [REDIRECT_URI] })],
  ['with a secret', { client_secret: 's3cret', token_endpoint_auth_method: 'client_secret_basic' }],
  ['that is a list', () => [1]],
  ['that is nested too deeply', (client_id) => ({ client_id, redirect_uris: [REDIRECT_URI], x: deep(200) })],
  ['that is too large', { client_uri: `https://a.example/${'x'.repeat(100_000)}` }],
])('a document %s is refused', async (_, document) => {
  expect(isRefused(await openWith(document))).toBe(true);
});

test.each([
  ['text/html', true],
  ['text/plain; charset=utf-8', true],
  ['application/jsonp', true],
  ['application/json; charset=utf-8', false],
  ['application/client-metadata+json', false],
])('whether a document of type %s is refused: %s', async (type, refused) => {
  const clientId = `${HOST}/typed-${encodeURIComponent(type)}`;
  const document = { client_id: clientId, redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' };
  answer = (_, response) => response.setHeader('content-type', type).end(JSON.stringify(document));
  expect(isRefused(await openAs(clientId))).toBe(refused);
});

test('fetching a document follows no redirect', async () => {
  answer = (_, response) => response.writeHead(302, { location: `${HOST}/elsewhere` }).end();
  expect(isRefused(await openAs(`${HOST}/redirecting`))).toBe(true);
  expect(fetched).not.toContain('/elsewhere');
});

test.each([404, 500])('a document that is answered with status %d is refused, without an error of the service', async (status) => {
  answer = (_, response) => response.writeHead(status).end('{}');
  expect(isRefused(await openAs(`${HOST}/status-${status}`))).toBe(true);
});

test.each([
  'http://gateway.test/client',
  'https://user@gateway.test/client',
  'https://gateway.test/a/../client',
  'https://gateway.test/client#x',
  'https://gateway.test:8443/client',
  'https://127.0.0.1/client',
  'https://[::ffff:127.0.0.1]/client',
  'https://2130706433/client',
])('%s is not fetched', async (clientId) => {
  const before = fetched.length;
  answer = (_, response) => response.end(JSON.stringify({ client_id: clientId, redirect_uris: [REDIRECT_URI] }));
  expect(isRefused(await openAs(clientId))).toBe(true);
  expect(fetched.length).toBe(before);
});

test('a source address can make the service fetch only a limited number of documents', async () => {
  const { db } = bed.gateway;
  await db('request_counts')
    .where({ purpose: 'client-metadata' })
    .update({ total: SOURCE_LIMITS['client-metadata'].requests - 1 });
  expect((await openWith({})).html).toContain('Allow Desk agent?');
  const before = fetched.length;
  expect(isRefused(await openWith({}))).toBe(true);
  expect(fetched.length).toBe(before);
});

function deep(levels: number): object {
  return levels === 0 ? {} : { x: deep(levels - 1) };
}

import { openOAuthAdapter } from '../../../commands/oauth/oauth-adapter.ts';
import { cleanClientName, mixesAlphabets } from '../../../domain/oauth/client-name.ts';
import { SOURCE_LIMITS } from '../../../domain/oauth/oauth.ts';
import { countRequest, deleteEndedCounts } from '../../../store/request-counts.ts';
import { aClient, anAuthorization, aPerson, aServer, authorize, type OAuthBed, openOAuthBed, signIn } from './oauth-bed.ts';
import { aBrowser } from './plain-browser.ts';

let bed: OAuthBed;
let other: OAuthBed;
beforeAll(async () => {
  bed = await openOAuthBed();
  other = await openOAuthBed({ TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' }, { replicaOf: bed });
}, 120_000);
afterAll(() => Promise.all([other?.close(), bed?.close()]));

describe('the name of a client', () => {
  test.each([
    ['plain', 'Desk agent', 'Desk agent'],
    ['bidirectional marks', 'Desk\u202etnega\u202c \u2066x\u2069', 'Desktnega x'],
    ['zero-width characters', 'De\u200bsk\u2060 ag\ufeffent', 'Desk agent'],
    ['control characters', 'De\0sk\u001b agent', 'Desk agent'],
    ['line breaks and tabs', ' Desk\n\n agent\t2 ', 'Desk agent 2'],
    ['full-width letters', 'Ｄｅｓｋ', 'Desk'],
    ['mathematical letters', '𝐃𝐞𝐬𝐤', 'Desk'],
    ['tags and variation selectors', 'Desk\u{e0041}\ufe0f', 'Desk'],
    ['another language', 'Яндекс почта', 'Яндекс почта'],
    ['only invisible characters', '\u200b \u202e', undefined],
    ['more than 100 characters', 'x'.repeat(500), 'x'.repeat(100)],
  ])('is cleaned: %s', (_, sent, kept) => {
    expect(cleanClientName(sent)).toBe(kept);
  });

  test.each([
    ['Сlaude', true],
    ['Gοogle', true],
    ['Dеѕk agent', true],
    ['Desk agent', false],
    ['Яндекс Mail', false],
    ['日本語 Agent', false],
    ['Café Über', false],
  ])('whether %s mixes alphabets within one word: %s', (name, isMixed) => {
    expect(mixesAlphabets(name)).toBe(isMixed);
  });

  test('the name of a client is registered in its cleaned form', async () => {
    expect(await aClient(bed, { client_name: `\u202eDesk ${'x'.repeat(2000)}` })).toMatchObject({ client_name: `Desk ${'x'.repeat(95)}` });
    expect(await aClient(bed, { client_name: '\u200b' })).not.toHaveProperty('client_name');
    await expect(aClient(bed, { client_name: 7 })).rejects.toThrow(/^400 /);
  });

  test('the consent page marks a name that mixes alphabets', async () => {
    const [server] = await Promise.all([aServer(bed), aPerson(bed, 'ada@example.com')]);
    const shown = async (client_name: string) => {
      const { client_id } = await aClient(bed, { client_name });
      const browser = aBrowser();
      await browser.open(anAuthorization(bed, client_id, server.mcpEndpoint).url);
      await signIn(bed, browser, 'ada@example.com');
      return browser.html;
    };
    expect(await shown('Сlaude')).toContain('mixes letters of several alphabets');
    expect(await shown('Claude')).not.toContain('mixes letters');
  });
});

describe('a client that registers as a web application', () => {
  const register = (...redirect_uris: string[]) => aClient(bed, { redirect_uris, application_type: 'web' });

  test.each(['http://evil.example/callback', 'http://127.0.0.1.evil.example/callback', 'http://[::ffff:127.0.0.1]/callback'])(
    'cannot register %s, because a code must use TLS or stay on the person’s computer',
    async (uri) => {
      await expect(register(uri)).rejects.toThrow(/^400 /);
      await expect(register('https://app.example/callback', uri)).rejects.toThrow(/^400 /);
    },
  );

  test('keeps its TLS addresses, with or without a secret', async () => {
    const redirect_uris = ['https://app.example/callback', 'https://app.example/again'];
    expect(await register(...redirect_uris)).toMatchObject({ redirect_uris, application_type: 'web' });
    const fields = { redirect_uris, application_type: 'web', token_endpoint_auth_method: 'client_secret_basic' };
    expect(await aClient(bed, fields)).toMatchObject({ redirect_uris, client_secret: expect.any(String) });
  });

  test.each(['http://127.0.0.1/callback', 'http://localhost:33418/callback', 'http://[::1]:33418/callback'])(
    'can register %s and use any port of this host (RFC 8252 section 7.3)',
    async (uri) => {
      const [server, client] = await Promise.all([aServer(bed), register(uri), aPerson(bed, `${uri.length}@example.com`)]);
      const redirect_uri = uri.replace(/(:\d+)?\/callback/, ':50123/callback');
      const { url } = anAuthorization(bed, client.client_id, server.mcpEndpoint, { redirect_uri });
      expect((await authorize(bed, url, `${uri.length}@example.com`)).href).toContain(`${redirect_uri}?code=`);
    },
  );
});

describe('a client that was registered while plain HTTP was accepted', () => {
  test('gets no codes at its plain HTTP address, and keeps its other addresses', async () => {
    const [plain, safe] = ['http://app.example/callback', 'https://app.example/callback'];
    const [server, { client_id }] = await Promise.all([
      aServer(bed),
      aClient(bed, { redirect_uris: [safe] }),
      aPerson(bed, 'old@example.com'),
    ]);
    const clients = openOAuthAdapter(bed.gateway, 'Client');
    await clients.upsert(client_id, { ...(await clients.find(client_id)), redirect_uris: [plain, safe] });
    const open = async (redirect_uri: string) => {
      const browser = aBrowser();
      await browser.open(anAuthorization(bed, client_id, server.mcpEndpoint, { redirect_uri }).url);
      return browser;
    };
    expect(await open(plain)).toMatchObject({ status: 400, leftTo: undefined });
    expect((await open(safe)).path).toBe('/sign-in');
  });
});

test('a device client needs no redirect URI and no response types', async () => {
  const grant_types = ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'];
  expect(await aClient(bed, { grant_types, redirect_uris: undefined })).toMatchObject({ grant_types, response_types: [] });
  await expect(aClient(bed, { redirect_uris: undefined })).rejects.toThrow(/^400 /);
});

describe('the limit of registrations', () => {
  const { requests, seconds } = SOURCE_LIMITS['client-registration'];

  test('is shared by all replicas, and a refusal says how long to wait', async () => {
    const { db } = bed.gateway;
    await db('request_counts').delete();
    await aClient(bed);
    await db('request_counts').update({ total: requests - 1 });
    await aClient(other);
    for (const replica of [bed, other]) {
      const answer = await fetch(`${replica.apiUrl}/oauth/register`, { method: 'POST', body: '{}' });
      expect([answer.status, await answer.json()]).toEqual([429, expect.objectContaining({ code: 'RATE_LIMITED' })]);
      const waitSeconds = Number(answer.headers.get('retry-after'));
      expect(waitSeconds).toBeGreaterThan(0);
      expect(waitSeconds).toBeLessThanOrEqual(seconds);
    }
    await db('request_counts').update({ ends_at: db.fn.now() });
    await aClient(other);
    expect(await db('request_counts').select('purpose', 'total')).toEqual([{ purpose: 'client-registration', total: 1 }]);
  });

  test('each concurrent request is counted; the counts of past windows can be deleted', async () => {
    const { db } = bed.gateway;
    const counts = await Promise.all(Array.from({ length: 20 }, () => countRequest(db, 'client-registration', '192.0.2.7', 60)));
    expect(counts.map(({ total }) => total).sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    await db('request_counts').where({ source: '192.0.2.7' }).update({ ends_at: db.fn.now() });
    await deleteEndedCounts(db);
    expect(await db('request_counts').where({ source: '192.0.2.7' })).toEqual([]);
  });

  test('callers behind a trusted proxy are counted separately; addresses that a caller claims are ignored', async () => {
    const { db } = bed.gateway;
    await db('request_counts').delete();
    const register = ({ apiUrl }: OAuthBed, forwardedFor: string) =>
      fetch(`${apiUrl}/oauth/register`, { method: 'POST', body: '{}', headers: { 'X-Forwarded-For': forwardedFor } });
    await register(bed, '198.51.100.1');
    await register(bed, '198.51.100.2');
    await register(other, '198.51.100.1');
    await register(other, '203.0.113.9, 198.51.100.2, 10.0.0.7');
    await register(other, '203.0.113.10, 198.51.100.2');
    expect(await db('request_counts').select('source', 'total').orderBy('source')).toEqual([
      { source: '127.0.0.1', total: 2 },
      { source: '198.51.100.1', total: 1 },
      { source: '198.51.100.2', total: 2 },
    ]);
  });

  test('metadata documents that the service fetches are counted for the address of the caller', async () => {
    const { db } = bed.gateway;
    await db('request_counts').delete();
    const { url } = anAuthorization(other, 'https://client.invalid/metadata.json', `${other.apiUrl}/mcp/srv_x`);
    await fetch(url, { headers: { 'X-Forwarded-For': '203.0.113.9, 198.51.100.2' }, redirect: 'manual' });
    expect(await db('request_counts').select('purpose', 'source')).toEqual([{ purpose: 'client-metadata', source: '198.51.100.2' }]);
  });
});

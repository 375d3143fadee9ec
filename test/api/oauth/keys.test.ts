import { readOAuthKeys, rotateDueOAuthKeys, rotateOAuthKeys } from '../../../commands/oauth/oauth-keys.ts';
import { OAUTH_KEY_SECONDS, OAUTH_SECONDS } from '../../../domain/oauth/oauth.ts';
import { admin } from '../../standalone/run-admin.ts';
import { system } from '../../support/system.ts';
import { aClient, anAuthorization, aPerson, aServer, type OAuthBed, openOAuthBed, signIn } from './oauth-bed.ts';
import { aBrowser, type PlainBrowser } from './plain-browser.ts';

let bed: OAuthBed;
let replicas: OAuthBed[];
let server: { id: string; mcpEndpoint: string };
beforeAll(async () => {
  bed = await openOAuthBed();
  server = await aServer(bed);
  await aPerson(bed, 'ada@example.com');
}, 120_000);
beforeEach(async () => {
  replicas = [];
  await bed.gateway.db('oauth_keys').delete();
});
afterEach(() => Promise.all(replicas.map((one) => one.close())));
afterAll(() => bed?.close());

async function aReplica(): Promise<OAuthBed> {
  const replica = await openOAuthBed({ BASE_URL: bed.apiUrl, PLATFORM_URL: bed.apiUrl }, { replicaOf: bed });
  replicas.push(replica);
  return replica;
}

const letPass = (seconds: number) =>
  bed.gateway.db('oauth_keys').update({ signs_from: bed.gateway.db.raw('signs_from - make_interval(secs => ?)', [seconds]) });
const published = async (replica: OAuthBed): Promise<Record<string, string>[]> =>
  ((await (await fetch(`${replica.apiUrl}/oauth/jwks`)).json()) as { keys: Record<string, string>[] }).keys;
const signer = async () => (await readOAuthKeys(bed.gateway)).cookies[0];

async function aFlow(at: OAuthBed): Promise<PlainBrowser> {
  const browser = aBrowser();
  const { client_id } = await aClient(bed);
  const { pathname, search } = new URL(anAuthorization(bed, client_id, server.mcpEndpoint).url);
  await browser.open(at.apiUrl + pathname + search);
  await signIn({ ...bed, mailbox: at.mailbox }, browser, 'ada@example.com');
  // A proxy in front of the replicas would route the interaction to this replica.
  await browser.open(at.apiUrl + browser.leftTo!.pathname);
  expect(browser.html).toContain('Allow Desk agent?');
  return browser;
}

test('the key set contains only public keys with their ids', async () => {
  const keys = await published(await aReplica());
  expect(keys).toEqual([{ kty: 'OKP', crv: 'Ed25519', x: expect.any(String), kid: expect.any(String), use: 'sig', alg: 'EdDSA' }]);
});

test('processes that start at the same time create one common key', async () => {
  const read = await Promise.all(Array.from({ length: 6 }, () => readOAuthKeys(bed.gateway)));
  expect(new Set(read.map(({ version }) => version)).size).toBe(1);
});

test('a key is published before its first use and until its signatures expire', async () => {
  const [first] = await published(await aReplica());
  const firstSigner = await signer();
  await rotateOAuthKeys(bed.gateway, { atOnce: false });
  const both = await published(await aReplica());
  expect(both.map(({ kid }) => kid)).toEqual([first!.kid, expect.any(String)]);
  expect(await signer()).toBe(firstSigner);
  await letPass(OAUTH_KEY_SECONDS.ahead + 1);
  expect(await signer()).not.toBe(firstSigner);
  await rotateDueOAuthKeys(bed.gateway);
  expect((await published(await aReplica())).map(({ kid }) => kid)).toEqual([both[1]!.kid, first!.kid]);
  await letPass(OAUTH_KEY_SECONDS.kept);
  await rotateDueOAuthKeys(bed.gateway);
  expect((await published(await aReplica())).map(({ kid }) => kid)).toEqual([both[1]!.kid]);
  expect(OAUTH_KEY_SECONDS.kept).toBeGreaterThan(OAUTH_SECONDS.interaction);
});

test('a flow survives a rotation, even if processes read the keys at different times', async () => {
  const before = await aReplica();
  const begunBefore = await aFlow(before);
  await rotateOAuthKeys(bed.gateway, { atOnce: false });
  const meanwhile = await aReplica();
  await published(meanwhile);
  await letPass(OAUTH_KEY_SECONDS.ahead + 1);
  const after = await aReplica();
  const begunAfter = await aFlow(after);
  for (const [flow, at] of [
    [begunBefore, meanwhile],
    [begunBefore, after],
    [begunAfter, meanwhile],
  ] as const) {
    await flow.open(at.apiUrl + flow.path);
    expect(flow.html).toContain('Allow Desk agent?');
  }
});

test('keys are rotated on schedule, once for all workers', async () => {
  await readOAuthKeys(bed.gateway);
  await rotateDueOAuthKeys(bed.gateway);
  expect((await readOAuthKeys(bed.gateway)).cookies).toHaveLength(1);
  await letPass(OAUTH_KEY_SECONDS.signs + 1);
  await Promise.all(Array.from({ length: 4 }, () => rotateDueOAuthKeys(bed.gateway)));
  expect((await readOAuthKeys(bed.gateway)).cookies).toHaveLength(2);
});

test('an immediate rotation, as after a leak, removes the former key, and its signatures are refused', async () => {
  const flow = await aFlow(await aReplica());
  const [former] = await published(replicas[0]!);
  await rotateOAuthKeys(bed.gateway, { atOnce: true });
  const after = await aReplica();
  expect((await published(after)).map(({ kid }) => kid)).not.toContain(former!.kid);
  await flow.open(after.apiUrl + flow.path);
  expect(flow.status).toBe(404);
});

test('an operator can rotate the keys; the database contains no plain key', async () => {
  const { apiUrl } = await system();
  const keysNow = async () => ((await (await fetch(`${apiUrl}/oauth/jwks`)).json()) as { keys: object[] }).keys;
  await keysNow();
  expect(await admin('rotate-oauth-keys')).toMatchObject({ code: 0, stdout: expect.stringContaining('sign after an hour') });
  expect(await admin('rotate-oauth-keys', '--now')).toMatchObject({ code: 1, stderr: expect.stringContaining('--now') });
  const { cookies, signing } = await readOAuthKeys(bed.gateway);
  const stored = JSON.stringify(await bed.gateway.db('oauth_keys').select(bed.gateway.db.raw(`encode(sealed_secret, 'base64') as sealed`)));
  for (const secret of [...cookies, ...signing.map(({ d }) => d!)]) expect(stored).not.toContain(secret);
});

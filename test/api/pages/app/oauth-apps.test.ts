import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { type AppMember, aMember } from './app-bed.ts';

let bed: ApiBed;
let admin: AppMember;
beforeAll(async () => {
  bed = await openApiBed();
  admin = await aMember(bed, 'admin');
});
afterAll(() => bed.close());

const BASE = '/settings/oauth-apps';
const created = (fields: Record<string, string> = {}) =>
  admin.post(`${BASE}/new`, { integrationName: 'github', clientId: 'Iv1.<b>id</b>', clientSecret: 'hush-hush', ...fields });

test('an OAuth app can be created and deleted, and never shows its secret', async () => {
  expect((await admin.get(BASE)).text).toContain('No OAuth apps yet.');
  expect((await admin.get(`${BASE}/new`)).text).toMatch(/Redirect address.*GitHub/);
  expect((await created()).location).toMatch(/\/app\/settings\/oauth-apps$/);
  const { text, html } = await admin.get(BASE);
  expect(text).toMatch(/The OAuth app of GitHub is created\..*GitHub Iv1\.<b>id<\/b> \S+\/connect\/callback/);
  expect(html).not.toMatch(/hush-hush|<b>/);
  expect((await bed.api.must(200).get('/api/v1/oauth-apps')).oauthApps).toMatchObject([
    { integrationName: 'github', clientId: 'Iv1.<b>id</b>' },
  ]);

  const again = await created();
  expect([again.status, again.text]).toEqual([400, expect.stringMatching(/Nothing was saved\..*Integration has an OAuth app already/)]);
  expect([again.html.includes('hush-hush'), again.html.includes('Iv1.')]).toEqual([false, true]);

  const path = /\/app(\/settings\/oauth-apps\/[0-9a-f-]{36}\/delete)"/.exec(html)![1]!;
  expect((await admin.get(path)).text).toMatch(
    /Delete the OAuth app of GitHub\?.*People can’t connect new accounts.*Delete OAuth app.*Keep it/,
  );
  expect((await admin.post(path)).status).toBe(303);
  expect((await admin.post(path)).status).toBe(404);
});

test.each([
  ['no client id', { clientId: '' }, 'Client id is missing'],
  ['no secret', { clientSecret: '' }, 'Client secret is missing'],
  ['an integration without OAuth', { integrationName: 'hash-encode' }, 'Integration hash-encode has no way to connect'],
  ['an unknown integration', { integrationName: 'nobody' }, 'Integration is unknown'],
])('with %s, nothing is saved', async (_, fields, problem) => {
  const { status, text } = await created(fields);
  expect([status, text]).toEqual([400, expect.stringMatching(new RegExp(`Nothing was saved\\..*${problem}`))]);
  expect((await bed.api.must(200).get('/api/v1/oauth-apps')).total).toBe(0);
});

test('a viewer sees the apps without forms', async () => {
  const viewer = await aMember(bed, 'viewer');
  expect((await viewer.get(BASE)).text).not.toMatch(/New OAuth app|Delete/);
});

import { createOrg } from '../../../../commands/access/create-org.ts';
import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { aMember } from './app-bed.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed({ QUOTA_MCP_SERVERS: '1' });
});
afterAll(() => bed.close());

const eventsOf = async (type: string) => bed.gateway.db('activity').where({ type }).orderBy('id').select('actor_id', 'details');
const old = (sessionOf: { id: string }) =>
  bed
    .patient('member_sessions')
    .where({ user_id: sessionOf.id })
    .update({ created_at: bed.patient.raw("now() - interval '20 minutes'") });

test('an owner with a recent sign-in can rename the organization; a viewer sees no form', async () => {
  const owner = await aMember(bed, 'owner');
  const viewer = await aMember(bed, 'viewer');
  const refused = await owner.post('/settings/organization', { name: '' });
  expect([refused.status, refused.text]).toEqual([400, expect.stringMatching(/Nothing was saved\..*Name/)]);
  const saved = await owner.post('/settings/organization', { name: 'Acme <b>Corp</b>' });
  expect([saved.status, saved.location]).toEqual([303, '/app/settings/organization']);
  expect(await eventsOf('organization.renamed')).toEqual([
    { actor_id: owner.id, details: expect.objectContaining({ name: 'Acme <b>Corp</b>' }) },
  ]);
  const { html } = await viewer.get('/settings/organization');
  expect(html).toContain('Acme &lt;b&gt;Corp');
  expect(html).not.toContain('name="name"');
  await old(owner);
  expect((await owner.post('/settings/organization', { name: 'Later' })).status).toBe(401);
});

test('quotas show the used and remaining amounts, as text and as a meter', async () => {
  const viewer = await aMember(bed, 'viewer');
  expect((await viewer.get('/settings/quotas')).text).toMatch(/MCP servers 0 of 1\..*Code runs[^.]* 0\. There is no limit\./);
  await bed.api.must(201).post('/api/v1/mcp/servers', { name: 'One', workspaceId: bed.workspaceId });
  const { html, text } = await viewer.get('/settings/quotas');
  expect(text).toContain('1 of 1. The quota is full.');
  expect(html).toMatch(/<meter min="0" max="1"[^>]* value="1" aria-label="MCP servers">/);
});

test('keys show their age, and can be rotated after a confirmation that requires a recent sign-in', async () => {
  const owner = await aMember(bed, 'owner');
  await bed.gateway.vault.seal(
    bed.gateway.db,
    { orgId: bed.orgId, workspaceId: null, table: 'x', column: 'x', rowId: 'x' } as never,
    'secret',
  );
  const { text } = await owner.get('/settings/keys');
  expect(text).toMatch(/Encryption key.*less than a minute.*Wrapped with.*Signing keys.*Cookie keys.*Receipts key/);
  expect((await owner.get('/settings/keys/signing/rotate')).text).toContain('Nobody is signed out.');

  expect((await owner.post('/settings/keys/signing/rotate')).location).toBe('/app/settings/keys');
  expect(await eventsOf('oauth_keys.rotated')).toEqual([{ actor_id: owner.id, details: { atOnce: false } }]);
  expect((await owner.get('/settings/keys')).text).toContain('A new key signs within an hour');

  const wrapped = () => bed.gateway.db('data_keys').where({ org_id: bed.orgId }).first('kek_id', 'wrapped_key');
  const before = await wrapped();
  await owner.post('/settings/keys/encryption/rotate');
  expect(await wrapped()).toEqual(before);
  expect((await owner.get('/settings/keys')).text).toContain('The first encryption key is already in use.');

  await bed.patient('data_keys').where({ org_id: bed.orgId }).update({ kek_id: 'lost' });
  expect((await owner.get('/settings/keys')).text).toContain('Wrapped with "lost", not with the first key');
  const lost = await owner.post('/settings/keys/encryption/rotate');
  expect([lost.status, lost.text]).toEqual([400, expect.stringContaining('ENCRYPTION_KEYS lacks the key "lost". Nothing was changed.')]);
  await old(owner);
  expect((await owner.get('/settings/keys')).status).toBe(200);
  expect((await owner.get('/settings/keys/signing/rotate')).location).toMatch(/^\/app\/sign-in\?.*anew=1/);
  const stale = await owner.post('/settings/keys/signing/rotate');
  expect([stale.status, stale.text]).toEqual([401, expect.stringContaining('This action needs a sign-in within the last 15 minutes')]);
  expect(stale.text).not.toContain('Your session has ended');
});

test('with several organizations, an owner cannot rotate the keys that all of them share', async () => {
  await createOrg(bed.gateway, 'Another');
  const owner = await aMember(bed, 'owner');
  const { text, html } = await owner.get('/settings/keys');
  expect(text).toContain('npm run admin -- rotate-oauth-keys');
  expect(html).not.toContain('/settings/keys/signing/rotate');
  for (const answer of [await owner.get('/settings/keys/signing/rotate'), await owner.post('/settings/keys/signing/rotate')])
    expect(answer.status).toBe(404);
});

import { callerOf } from '../../support/caller.ts';
import { newOrg } from '../../support/new-org.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { aMember, appClient } from '../pages/app/app-bed.ts';

const PATH = '/api/v1/members';
const ADA = { name: 'Ada Lovelace', email: 'ada@example.com', role: 'owner' };

let bed: ApiBed;
beforeEach(async () => {
  bed = await openApiBed();
});
afterEach(() => bed.close());

test('a member can be added, signed in by link, listed, changed, invited again and removed', async () => {
  const { member, signInLink } = await bed.api.must(201).post(PATH, ADA);
  expect(member).toEqual({ id: expect.any(String), ...ADA, joinedAt: null, createdAt: expect.any(String) });
  await bed.api.must(201).post(PATH, { name: 'Bob', email: 'bob@example.com', role: 'viewer' });
  expect((await bed.api.post(PATH, { ...ADA, email: 'ADA@example.com' })).body.code).toBe('DUPLICATE');

  const invited = await bed.api.must(200).post(`${PATH}/${member.id}/invite`);
  expect(invited).toEqual({ member, signInLink: expect.any(String), emailSent: false });
  const tokenOf = (link: string) => new URL(link).searchParams.get('token')!;
  const ada = appClient(bed);
  expect((await ada.post('/sign-in/link', { token: tokenOf(signInLink) })).status).toBe(404);
  expect((await ada.post('/sign-in/link', { token: tokenOf(invited.signInLink) })).location).toBe('/app/account');

  const { members, total } = await bed.api.must(200).get(PATH);
  expect([total, members.map(({ email, joinedAt }: Record<string, string>) => [email, joinedAt !== null])]).toEqual([
    2,
    [
      [ADA.email, true],
      ['bob@example.com', false],
    ],
  ]);
  expect((await bed.api.must(200).patch(`${PATH}/${members[1].id}`, { role: 'owner', name: 'Robert' })).member).toMatchObject({
    ...{ role: 'owner', name: 'Robert' },
  });
  expect(await bed.api.must(200).delete(`${PATH}/${member.id}`)).toEqual({ deleted: true, id: member.id });
  expect((await ada.get('')).status).toBe(303);
  const { activity } = await bed.api.must(200).get('/api/v1/activity');
  expect(activity.map(({ type }: { type: string }) => type).toReversed()).toEqual([
    ...['member.added', 'member.added', 'member.invited', 'member.signed_in', 'member.updated', 'member.removed'],
  ]);
  expect(JSON.stringify(activity)).not.toContain('sil_');
});

test('an organization keeps its last owner, even under concurrent changes', async () => {
  const owners = [await aMember(bed, 'owner'), await aMember(bed, 'owner')];
  const answers = await Promise.all(owners.map(({ id }) => bed.api.patch(`${PATH}/${id}`, { role: 'admin' })));
  expect(answers.map(({ status, body }) => [status, body.code]).sort()).toEqual([
    [200, undefined],
    [409, 'LAST_OWNER'],
  ]);
  const { members } = await bed.api.must(200).get(PATH);
  const last = members.find(({ role }: { role: string }) => role === 'owner');
  expect((await bed.api.delete(`${PATH}/${last.id}`)).body.code).toBe('LAST_OWNER');
  expect((await bed.api.must(200).patch(`${PATH}/${last.id}`, { role: 'owner' })).member.role).toBe('owner');
});

test('a lower role ends a member’s sessions; a higher role or a new name does not', async () => {
  const member = await aMember(bed, 'member');
  await bed.api.must(200).patch(`${PATH}/${member.id}`, { role: 'admin' });
  await bed.api.must(200).patch(`${PATH}/${member.id}`, { name: 'New' });
  expect((await member.get('')).status).toBe(200);
  await bed.api.must(200).patch(`${PATH}/${member.id}`, { role: 'viewer' });
  expect((await member.get('')).status).toBe(303);
});

test('a member of two organizations has a separate name, password, sessions and links in each', async () => {
  const other = await openSecondOrg();
  const { member } = await bed.api.must(201).post(PATH, ADA);
  const there = await other.must(201).post(PATH, { ...ADA, name: 'Somebody', role: 'viewer' });
  expect((await bed.api.must(200).get(PATH)).members[0].name).toBe(ADA.name);
  const client = appClient(bed);
  await client.post('/sign-in/link', { token: new URL(there.signInLink).searchParams.get('token')! });
  const password = 'known to the administrator of the other one';
  expect((await client.post('/account', { next: password })).location).toBe('/app/account');
  const again = appClient(bed);
  expect((await again.post('/sign-in', { email: ADA.email, password })).status).toBe(303);
  expect((await again.get('/account')).text).toContain('Viewer of Other');
  expect((await again.get('/settings/members')).text).not.toContain(ADA.name);
  await other.must(200).delete(`${PATH}/${there.member.id}`);
  expect((await bed.api.must(200).get(PATH)).members).toEqual([expect.objectContaining({ id: member.id, joinedAt: null })]);
});

test('an admin key never gets a sign-in link for a person who has signed in', async () => {
  const keyOf = async (role: 'admin' | 'owner') => {
    const { html } = await (await aMember(bed, role)).post('/keys/new', { name: role, decide: 'yes' });
    return callerOf(bed.apiUrl, /value="(svc_[^"]+)"/.exec(html)![1]!);
  };
  const [ofAdmin, ofOwner] = [await keyOf('admin'), await keyOf('owner')];
  const { id, email } = await aMember(bed, 'member');
  const again = { name: 'Alice', email: email.toUpperCase(), role: 'member' };

  await ofAdmin.must(200).delete(`${PATH}/${id}`);
  const added = await ofAdmin.must(201).post(PATH, again);
  expect(added).toEqual({ member: expect.objectContaining({ id, joinedAt: null }), signInLink: null });
  expect((await ofAdmin.post(`${PATH}/${id}/invite`)).body.code).toBe('SCOPE_DENIED');
  expect((await ofOwner.must(200).post(`${PATH}/${id}/invite`)).signInLink).toContain('sil_');

  await ofOwner.must(200).delete(`${PATH}/${id}`);
  expect((await ofOwner.must(201).post(PATH, again)).signInLink).toContain('sil_');
  expect((await ofAdmin.must(201).post(PATH, { ...ADA, role: 'member' })).signInLink).toContain('sil_');
});

async function openSecondOrg() {
  const { plainKey } = await newOrg(bed.gateway.config.databaseUrl!, 'Other');
  return callerOf(bed.apiUrl, plainKey);
}

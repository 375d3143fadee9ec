import { openMemberSession } from '../../../../commands/members/member-session.ts';
import { findMember } from '../../../../store/memberships.ts';
import { openMailbox, readMail } from '../../../support/mailbox.ts';
import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { aMember, appClient } from './app-bed.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed?.close());

test('only an owner can create a sign-in link for a member who has joined', async () => {
  const [owner, admin, reviewer] = [await aMember(bed, 'owner'), await aMember(bed, 'admin'), await aMember(bed, 'member')];
  const invite = `/settings/members/${reviewer.id}/invite`;
  const membership = bed.patient('memberships').where({ user_id: reviewer.id });
  await membership.clone().update({ joined_at: null });
  await bed.patient('users').where({ id: reviewer.id }).update({ joined_at: null });
  expect((await admin.post(invite, {})).status).toBe(200);
  await membership.clone().update({ joined_at: bed.patient.fn.now() });
  expect((await admin.get('/settings/members')).html).not.toContain(invite);
  expect((await admin.post(invite, {})).status).toBe(403);
  expect((await owner.post(invite, {})).html).toContain('Copy it now');
});

test('an admin sees no sign-in link for a re-invited person, but an owner does', async () => {
  const [owner, admin, reviewer] = [await aMember(bed, 'owner'), await aMember(bed, 'admin'), await aMember(bed, 'member')];
  const path = `/settings/members/${reviewer.id}`;
  await admin.post(`${path}/remove`);
  const added = await admin.post('/settings/members/new', { email: reviewer.email, role: 'member' });
  expect([added.status, added.location, added.html]).toEqual([303, '/app/settings/members', expect.not.stringContaining('sil_')]);
  const list = await admin.get('/settings/members');
  expect(list.text).toContain('has signed in before, so an owner must create the sign-in link.');
  expect(list.html).not.toContain(`${path}/invite`);
  expect((await admin.post(`${path}/invite`)).status).toBe(403);
  expect((await owner.post(`${path}/invite`)).html).toContain('sil_');
  await owner.post(`${path}/remove`);
  expect((await owner.post('/settings/members/new', { email: reviewer.email, role: 'member' })).html).toContain('sil_');
});

test('with SMTP, a re-invited person gets the sign-in link only by mail', async () => {
  const mailbox = await openMailbox();
  const mailing = await openApiBed({ SMTP_URL: mailbox.url, MAIL_FROM: 'gateway@example.com' });
  try {
    const [admin, reviewer] = [await aMember(mailing, 'admin'), await aMember(mailing, 'member')];
    await admin.post(`/settings/members/${reviewer.id}/remove`);
    const added = await admin.post('/settings/members/new', { email: reviewer.email, role: 'member' });
    expect([added.location, added.html]).toEqual(['/app/settings/members', expect.not.stringContaining('sil_')]);
    expect((await admin.get('/settings/members')).text).toContain(`we mailed the sign-in link to ${reviewer.email}.`);
    expect(mailbox.mails.map(({ to }) => to)).toEqual([[reviewer.email]]);
    const token = /token=(sil_\w+)/.exec(readMail(mailbox.mails[0]!.raw).text)![1]!;
    expect((await appClient(mailing).post('/sign-in/link', { token })).location).toBe('/app/account');
  } finally {
    await mailing.close();
    await mailbox.close();
  }
});

test('an invitation ends when the invited person signs in another way', async () => {
  const admin = await aMember(bed, 'admin');
  const { html } = await admin.post('/settings/members/new', { email: 'grace@example.com', role: 'member' });
  const token = /sign-in\/link\?token=(sil_\w+)/.exec(html)![1]!;
  const visitor = appClient(bed);
  expect((await visitor.get(`/sign-in/link?token=${token}`)).status).toBe(200);
  const { id } = await bed.patient('users').where({ email: 'grace@example.com' }).first('id');
  const grace = (await findMember(bed.gateway.db, bed.orgId, id))!;
  await bed.gateway.db.transaction((db) =>
    openMemberSession({ ...bed.gateway, db }, grace, 'openid', { source: '127.0.0.1', userAgent: '' }),
  );
  expect((await visitor.get(`/sign-in/link?token=${token}`)).status).toBe(404);
  expect((await visitor.post('/sign-in/link', { token })).status).toBe(404);
});

test('the last owner’s role cannot change, and the form keeps its values', async () => {
  const owners = bed.patient('memberships').where({ role: 'owner' });
  await owners.clone().update({ role: 'admin' });
  const last = await aMember(bed, 'owner');
  const { status, text, html } = await last.post(`/settings/members/${last.id}`, { name: 'Olive', role: 'viewer' });
  expect([status, text]).toEqual([400, expect.stringContaining('Nothing was saved. Role must stay: this is the last owner')]);
  expect(html).toContain('<a href="#field-role">Role</a>');
  expect(html).toContain('value="Olive"');
});

import { callerOf } from '../../support/caller.ts';
import { anInstance, aPortal, aSession, type ConnectBed, openConnectBed, submit } from '../connect/connect-bed.ts';
import { aMember } from '../pages/app/app-bed.ts';
import { writtenBy } from './recorded-acts.ts';

const PEOPLE = '/api/v1/end-users';
const SECRET = 'zq-a-secret-text';

let bed: ConnectBed;
beforeAll(async () => {
  bed = await openConnectBed();
});
afterAll(() => bed?.close());

test("an invitation's row omits the e-mail address", async () => {
  const { endUser } = await bed.api.must(201).post(PEOPLE, { workspaceId: bed.workspaceId, externalId: 'invited' });
  const { id, externalId } = endUser;
  const sent: string[] = [];
  const { gateway } = bed;
  const before = gateway.mailer;
  Object.assign(gateway, { mailer: { send: async ({ to }: { to: string }) => void sent.push(to) } });
  const rows = await writtenBy(bed, async () => {
    await bed.api.must(200).post(`${PEOPLE}/${id}/invite`, { email: 'zq@example.com' });
  });
  Object.assign(gateway, { mailer: before });
  expect(rows).toMatchObject([{ type: 'end_user.invited', details: { kind: 'portal', endUserId: externalId, endUserUuid: id } }]);
  expect([JSON.stringify(rows).includes('zq@'), sent]).toEqual([false, ['zq@example.com']]);
});

test("connecting or reconnecting through a link records the link's session as the actor", async () => {
  const form = { method: 'token', 'field.secretText': SECRET };
  const rows = await writtenBy(bed, async () => {
    for (const _ of [1, 2]) await submit((await aSession(bed, { externalId: 'twice' })).connectUrl, form);
  });
  const [first, created, second, again] = rows as unknown as { actorId: string; details: { sessionId: string; connectionId: string } }[];
  expect(rows).toMatchObject([
    { type: 'connect_link.issued', actorType: 'api_key' },
    { type: 'connection.created', actorType: 'hosted_link', actorId: first!.details.sessionId },
    { type: 'connect_link.issued', actorType: 'api_key' },
    { type: 'connection.reconnected', actorType: 'hosted_link', actorId: second!.details.sessionId },
  ]);
  expect(again!.details.connectionId).toBe(created!.details.connectionId);
  expect(JSON.stringify(rows)).not.toContain(SECRET);
});

test('rows of the portal name the end user, by external id, as the actor', async () => {
  const mail = await anInstance(bed, 'mail', { alias: 'portal-mail' });
  const rows = await writtenBy(bed, async () => {
    const { connectUrl } = await aPortal(bed, 'portal-person');
    const form = { entry: mail, method: 'token', 'field.secretText': SECRET };
    for (const fields of [form, form, { entry: mail, change: 'disconnect' }]) await submit(connectUrl, fields);
  });
  const actor = { actorType: 'end_user', actorId: 'portal-person', details: { endUserId: 'portal-person' } };
  expect(rows).toMatchObject([
    { type: 'end_user.created', actorType: 'api_key' },
    { type: 'connect_link.issued', actorType: 'api_key' },
    { type: 'connection.created', ...actor },
    { type: 'connection.reconnected', actorType: 'end_user', actorId: 'portal-person' },
    { type: 'connection.deleted', actorType: 'end_user', actorId: 'portal-person' },
  ]);
  expect(JSON.stringify(rows)).not.toContain(SECRET);
});

test('rows of the dashboard name the member as the actor; the activity page links to the person', async () => {
  const admin = await aMember(bed, 'admin', { name: 'Ada Admin' });
  const rows = await writtenBy(bed, async () => {
    const person = { workspaceId: bed.workspaceId, externalId: 'seen-person', displayName: 'Seen' };
    const { location } = await admin.post('/people/new', person);
    await admin.post(`${location!.slice('/app'.length)}/settings`, { displayName: 'Seen again', email: '' });
    await admin.post(`${location!.slice('/app'.length)}/connect-link`);
  });
  const actor = { actorType: 'user', actorId: admin.id };
  expect(rows).toMatchObject(['end_user.created', 'end_user.updated', 'connect_link.issued'].map((type) => ({ type, ...actor })));
  const { endUserUuid } = rows[0]!.details;
  const { html, text } = await admin.get('/activity?type=end_user.updated&who=ada');
  expect(html).toContain(`<a href="/app/people/${endUserUuid}">Person changed</a>`);
  expect(text).toMatch(/Person changed seen-person Ada Admin/);
  expect((await admin.get('/activity?type=connect_link.issued&text=seen-person')).html).toContain(
    `/app/people/${endUserUuid}">Connect link made`,
  );
});

test('an end user is created only together with its activity row', async () => {
  const { db } = bed.gateway;
  await bed.patient.raw('create function fail_now() returns trigger language plpgsql as $$ begin raise exception $a$no$a$; end $$');
  await bed.patient.raw('create trigger fail_now before insert on activity_unsealed for each row execute function fail_now()');
  const answer = await callerOf(bed.apiUrl, bed.plainKey).post(PEOPLE, { workspaceId: bed.workspaceId, externalId: 'half' });
  await bed.patient.raw('drop trigger fail_now on activity_unsealed');
  await bed.patient.raw('drop function fail_now');
  expect(answer.status).toBe(500);
  expect(await db('end_users').where({ external_id: 'half' })).toEqual([]);
  expect(await db('activity').whereRaw("details::text like '%half%'")).toEqual([]);
});

test('of fifty concurrent requests to create the same end user, one succeeds and writes one row', async () => {
  const rows = await writtenBy(bed, async () => {
    const create = () => bed.api.post(PEOPLE, { workspaceId: bed.workspaceId, externalId: 'wanted' });
    const answers = await Promise.all(Array.from({ length: 50 }, create));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  });
  expect(rows.map(({ type }) => type)).toEqual(['end_user.created']);
});

import { type ApiBed, openApiBed } from '../../../api-bed.ts';
import { anApproval } from '../../page-bed.ts';
import { type AppMember, aMember, pageBed } from '../app-bed.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed.close());

async function follow(member: Pick<AppMember, 'cookie'>, after = 'none.0', api = bed) {
  const answer = await fetch(`${api.apiUrl}/app/events?after=${after}`, { headers: { Cookie: member.cookie } });
  const messages = read(answer);
  return { answer, next: async () => (await messages.next()).value, close: () => messages.return(undefined) };
}

async function* read({ body }: Response): AsyncGenerator<{ id: string; data: string }, undefined> {
  let text = '';
  for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let match = FIRST.exec(text); match; match = FIRST.exec(text)) {
      text = text.slice(match.index + match[0].length);
      yield { id: match[1]!, data: match[2]! };
    }
  }
  return undefined;
}
const FIRST = /id: (.*)\ndata: (.*)\n\n/;

test('an open page receives the ids of changed records', async () => {
  const { answer, next, close } = await follow(await aMember(bed, 'viewer'));
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/event-stream')]);
  expect(await next()).toMatchObject({ data: 'all' });
  const { id } = await anApproval(pageBed(bed));
  expect(await next()).toMatchObject({ data: `approvals/${id}` });
  await (await aMember(bed, 'member')).post(`/approvals/${id}/decide`, { decision: 'approve' });
  expect(await next()).toMatchObject({ data: `approvals/${id}` });
  await close();
});

test('an up-to-date page reloads nothing; a page that missed events reloads everything', async () => {
  const member = await aMember(bed, 'viewer');
  // Once a stream was opened, the process listens for events.
  await (await follow(member)).close();
  const position = /data-position="([^"]+)"/.exec((await member.get('')).html)![1]!;
  const up = await follow(member, position);
  expect(await up.next()).toEqual({ id: position, data: 'none' });
  await anApproval(pageBed(bed));
  await up.next();
  await up.close();
  const late = await follow(member, position);
  expect(await late.next()).toMatchObject({ data: 'all' });
  await late.close();
});

test('an organization receives no events of another organization', async () => {
  const [{ orgId }] = await bed.gateway.db('orgs').insert({ name: 'Other' }).returning('id as orgId');
  const [mine, theirs] = await Promise.all([follow(await aMember(bed, 'owner')), follow(await aMember({ ...bed, orgId }, 'owner'))]);
  await Promise.all([mine.next(), theirs.next()]);
  const { id } = await anApproval(pageBed(bed));
  expect(await mine.next()).toMatchObject({ data: `approvals/${id}` });
  // Events arrive in order, so an event of the first approval would arrive before this event.
  await bed.gateway.db.raw(`select pg_notify('dashboard_news', ?)`, [`${orgId}/approvals/apr_theirs`]);
  expect(await theirs.next()).toMatchObject({ data: 'approvals/apr_theirs' });
  await Promise.all([mine.close(), theirs.close()]);
});

describe('the stream ends with its session', () => {
  const ends: [string, (member: AppMember, owner: AppMember) => Promise<{ status: number }>][] = [
    ['sign-out', (member) => member.post('/sign-out')],
    ['sign out everywhere', (member) => member.post('/account/sign-out-everywhere')],
    ['a lower role', ({ id }, owner) => owner.post(`/settings/members/${id}`, { role: 'viewer' })],
    ['removal', ({ id }, owner) => owner.post(`/settings/members/${id}/remove`)],
  ];
  test.each(ends)('%s', async (_, end) => {
    const [member, owner] = [await aMember(bed, 'admin'), await aMember(bed, 'owner')];
    const [ended, other] = [await follow(member), await follow(owner)];
    await Promise.all([ended.next(), other.next()]);
    const { cookie } = member;
    expect((await end(member, owner)).status).toBe(303);
    expect(await ended.next()).toBeUndefined();
    const { id } = await anApproval(pageBed(bed));
    expect(await other.next()).toMatchObject({ data: `approvals/${id}` });
    await other.close();
    expect((await fetch(`${bed.apiUrl}/app/events`, { headers: { Cookie: cookie } })).status).toBe(204);
  });
});

test('a lost notification connection ends the streams; the next streams make their pages reload everything', async () => {
  const member = await aMember(bed, 'viewer');
  const cut = await follow(member);
  const { id: position } = (await cut.next())!;
  await bed.patient.raw(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gateway-notices' and datname = current_database()",
  );
  expect(await cut.next()).toBeUndefined();
  const again = await follow(member, position);
  expect(await again.next()).toMatchObject({ data: 'all' });
  await again.close();
});

test('a stream requires a session; a member can open at most twenty streams', async () => {
  expect((await fetch(`${bed.apiUrl}/app/events`)).status).toBe(204);
  const member = await aMember(bed, 'viewer');
  const open = await Promise.all(Array.from({ length: 20 }, () => follow(member)));
  await Promise.all(open.map(({ next }) => next()));
  expect((await follow(member)).answer.status).toBe(429);
  await Promise.all(open.map(({ close }) => close()));
});

test('background requests of a page neither renew the session nor consume its one-time message', async () => {
  const member = await aMember(bed, 'member');
  const { id } = await anApproval(pageBed(bed));
  const session = () => bed.gateway.db('member_sessions').where({ user_id: member.id });
  await session().update({ last_seen_at: bed.gateway.db.raw("now() - interval '1 hour'") });
  const seen = async () => (await session().first('last_seen_at')).last_seen_at.getTime();
  const before = await seen();
  await (await follow(member)).close();
  await member.get('/waiting', { 'X-Refresh': '1' });
  expect(await seen()).toBe(before);
  await member.post(`/approvals/${id}/decide`, { decision: 'reject' });
  expect((await member.get(`/approvals/${id}`, { 'X-Refresh': '1' })).text).not.toContain('You rejected the request.');
  expect((await member.get(`/approvals/${id}`)).text).toContain('You rejected the request.');
});

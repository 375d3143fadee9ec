import type { EndUserPerson } from '../../../domain/person.ts';
import { randomId } from '../../../infra/tokens.ts';
import { anApproval, decide, linkOf, openPages, type PageBed, read } from './page-bed.ts';
import { aMember, asPerson } from './page-records.ts';

let bed: PageBed;
beforeAll(async () => {
  bed = await openPages();
});
afterAll(() => bed?.close());

const rowOf = (id: string) => bed.gateway.db('approvals').where({ id }).first();
const asOf = (link: string) => new URL(link).searchParams.get('as')!;

async function anEndUser(externalId = randomId('user_')): Promise<EndUserPerson> {
  const { orgId, workspaceId } = bed.org;
  await bed.gateway.db('end_users').insert({ org_id: orgId, workspace_id: workspaceId, external_id: externalId, display_name: 'Ada' });
  return { type: 'end_user', orgId, workspaceId, externalId, displayName: 'Ada' };
}

test("a personal link names its person, and the decision is recorded as this person's", async () => {
  const approval = await anApproval(bed);
  const ada = await aMember(bed, 'member', 'Ada Lovelace');
  const link = asPerson(bed, approval, ada);
  const { text, html } = await read(link);
  expect(text).toContain(`You decide as Ada Lovelace ( ${ada.email} )`);
  expect(html).toContain(`<input type="hidden" name="as" value="user%3A${ada.id}">`);

  const answer = await decide(link, 'approve', { as: asOf(link) });
  expect(answer.status).toBe(303);
  expect(new URL(answer.headers.get('location')!, link).searchParams.get('as')).toBe(asOf(link));
  expect(await rowOf(approval.id)).toMatchObject({ status: 'approved', decided_by_type: 'user', decided_by_id: ada.id });
  expect((await read(link)).text).toContain('Decided by You');
});

test("another member can read the decider's name; the holder of the approval's own link cannot", async () => {
  const approval = await anApproval(bed);
  const link = asPerson(bed, approval, await aMember(bed, 'admin', 'Ada Lovelace'));
  await decide(link, 'reject', { as: asOf(link) });
  const other = await aMember(bed, 'member');
  expect((await read(asPerson(bed, approval, other))).text).toContain('Decided by Ada Lovelace');
  const { text } = await read(linkOf(bed, approval));
  expect(text).toContain('Decided by A member of the organization');
  expect(text).not.toContain('Ada Lovelace');
});

test('an end user can decide if the policy names end users as approvers', async () => {
  const ada = await anEndUser();
  const approval = await anApproval(bed, { endUserId: ada.externalId, approvers: [{ type: 'end_user' }] });
  const link = asPerson(bed, approval, ada);
  expect((await read(link)).text).toContain(`You decide as Ada ( ${ada.externalId} )`);
  expect((await decide(link, 'approve', { as: asOf(link) })).status).toBe(303);
  expect(await rowOf(approval.id)).toMatchObject({ decided_by_type: 'end_user', decided_by_id: ada.externalId });
});

/** Returns the hidden fields as browsers send them, with CRLF line breaks. */
function formOf(html: string): Record<string, string> {
  const fields = [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
  return Object.fromEntries(fields.map(([, name, value]) => [name, unescapeMarkup(value!).replace(/\r?\n/g, '\r\n')]));
}

const unescapeMarkup = (text: string) =>
  text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name) => ({ lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' })[name as string]!);

test.each([
  ['a zero-width joiner', 'नि\u200dता'],
  ['a zero-width non-joiner', 'می\u200cخواهم'],
  ['a soft hyphen', 'co\u00adoperative'],
  ['a line end', 'a\nb'],
  ['CRLF and a single CR', 'a\r\nb\rc'],
  ['special characters of URLs and HTML', 'a+b%41 &amp;"<é>%'],
])('an end user whose id contains %s can decide', async (_, part) => {
  const ada = await anEndUser(`${part}${randomId('user_')}`);
  const approval = await anApproval(bed, { endUserId: ada.externalId, approvers: [{ type: 'end_user' }] });
  const link = asPerson(bed, approval, ada);
  const form = formOf((await read(link)).html);
  expect((await decide(link, 'approve', form)).headers.get('location')).not.toBeNull();
  expect(await rowOf(approval.id)).toMatchObject({ decided_by_type: 'end_user', decided_by_id: ada.externalId });
});

test('a form whose person has invalid percent-encoding decides nothing', async () => {
  const approval = await anApproval(bed);
  const link = asPerson(bed, approval, await aMember(bed, 'owner'));
  expect((await decide(link, 'approve', { as: '%' })).status).toBe(404);
});

test('an overlong reason is returned unchanged, invisible characters included', async () => {
  const approval = await anApproval(bed);
  const reason = `👩\u200d💻 co\u00adoperative </textarea> ${'x'.repeat(2000)}`;
  const html = await (await decide(linkOf(bed, approval), 'reject', { reason })).text();
  expect(unescapeMarkup(/<textarea[^>]*>([^<]*)<\/textarea>/.exec(html)![1]!)).toBe(reason);
});

test('a member outside the approver rule can read but not decide, and sees who can decide', async () => {
  const approval = await anApproval(bed, { approvers: [{ type: 'org_role', roles: ['owner'] }] });
  const link = asPerson(bed, approval, await aMember(bed, 'member', 'Grace Hopper'));
  const { status, text, html } = await read(link);
  expect(status).toBe(200);
  expect(text).toContain('You cannot decide this request The policy asks for an owner of the organization to decide this.');
  expect(text).toContain('You read this as Grace Hopper');
  expect(text).toContain('You can read this request, but not decide it.');
  expect(text).not.toMatch(/(?:Skip|Go) to your decision/);
  expect(html).not.toContain('<form');

  const answer = await decide(link, 'approve', { as: asOf(link) });
  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain('Your decision was not accepted. Nothing changed.');
  expect((await rowOf(approval.id)).status).toBe('pending');
});

test("a personal link can open dashboard_only requests; the approval's own link cannot", async () => {
  const approval = await anApproval(bed, { approvalAccessMode: 'dashboard_only' });
  expect((await read(asPerson(bed, approval, await aMember(bed, 'owner')))).status).toBe(200);
  expect((await read(linkOf(bed, approval))).status).toBe(404);
});

test('a personal link is valid only for its person', async () => {
  const approval = await anApproval(bed);
  const [ada, grace] = await Promise.all([aMember(bed, 'owner'), aMember(bed, 'owner')]);
  const link = asPerson(bed, approval, ada);
  const own = linkOf(bed, approval);
  const token = new URL(link).searchParams.get('token')!;
  const page = `${bed.origin}/approve/${approval.id}?token=${token}`;
  const wrong = [
    page,
    `${page}&as=user:${grace.id}`,
    `${page}&as=`,
    `${link}&as=user:${ada.id}`,
    `${own}&as=user:${ada.id}`,
    `${page}&as=user:x`,
  ];
  for (const address of wrong) expect((await read(address)).status).toBe(404);
  for (const as of [undefined, `user:${grace.id}`, '', 'nonsense'])
    expect((await decide(link, 'approve', as === undefined ? {} : { as })).status).toBe(404);
  expect((await rowOf(approval.id)).status).toBe('pending');
});

test('the personal link of a former member opens nothing', async () => {
  const approval = await anApproval(bed);
  const ada = await aMember(bed, 'owner');
  const link = asPerson(bed, approval, ada);
  expect((await read(link)).status).toBe(200);
  await bed.gateway.db('memberships').where({ user_id: ada.id }).delete();
  expect((await read(link)).status).toBe(404);
  expect((await decide(link, 'approve', { as: asOf(link) })).status).toBe(404);
});

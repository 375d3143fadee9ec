import type { NewOrg } from '../../../../commands/access/create-org.ts';
import type { RecordedApprover } from '../../../../domain/policies/policy.ts';
import { newOrg } from '../../../support/new-org.ts';
import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { anApproval, anApprovalOf, letTimePass } from '../page-bed.ts';
import { aPlan, CODE } from '../page-states.ts';
import { type AppMember, aMember, pageBed } from './app-bed.ts';

let shared: ApiBed;
let bed: Pick<ApiBed, 'gateway' | 'apiUrl' | keyof NewOrg>;
let reviewer: AppMember;
beforeAll(async () => {
  shared = await openApiBed();
});
beforeEach(async () => {
  bed = { gateway: shared.gateway, apiUrl: shared.apiUrl, ...(await newOrg(shared.gateway.config.databaseUrl!)) };
  reviewer = await aMember(bed, 'member', { name: 'Rita Reviewer' });
});
afterAll(() => shared.close());

const ask = (given: Parameters<typeof anApproval>[1] = {}) => anApproval(pageBed(bed), given);
const rowOf = (id: string) => bed.gateway.db('approvals').where({ id }).first();
const OWNERS: RecordedApprover[] = [{ type: 'org_role', roles: ['owner'] }];

test.each([
  ['approve', 'approved', 'You approved the request.'],
  ['reject', 'rejected', 'You rejected the request.'],
  ['cancel', 'canceled', 'You withdrew the request.'],
])('%s: the member’s decision is recorded with the reason', async (decision, status, sentence) => {
  const { id } = await ask();
  const answer = await reviewer.post(`/approvals/${id}/decide`, { decision, reason: ' Checked.\r\nFine. ' });
  expect(answer.location).toBe(`/app/approvals/${id}`);
  expect(await rowOf(id)).toMatchObject({
    ...{ status, decided_by_type: 'user', decided_by_id: reviewer.id, decision_reason: 'Checked.\nFine.' },
  });
  const after = await reviewer.get(`/approvals/${id}`);
  expect(after.text).toContain(sentence);
  expect(after.text).toContain('Decided by You');
  expect(after.html).not.toContain('name="decision"');
  expect((await (await aMember(bed, 'viewer')).get(`/approvals/${id}`)).text).toContain('Decided by Rita Reviewer');
});

test('of two concurrent decisions, one counts; the other member sees who decided', async () => {
  const { id } = await ask();
  const other = await aMember(bed, 'admin', { name: 'Otto Other' });
  const answers = await Promise.all([
    reviewer.post(`/approvals/${id}/decide`, { decision: 'approve' }),
    other.post(`/approvals/${id}/decide`, { decision: 'reject' }),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 409]);
  const late = answers.find(({ status }) => status === 409)!;
  expect(late.text).toContain('Somebody else decided first.');
  expect(late.text).toMatch(/Decided by (Rita Reviewer|Otto Other)/);
});

test('an expired request cannot be decided, and the page says so', async () => {
  const { id } = await ask();
  await letTimePass(pageBed(bed), id);
  const late = await reviewer.post(`/approvals/${id}/decide`, { decision: 'approve' });
  expect([late.status, late.text]).toEqual([409, expect.stringContaining('The time was up.')]);
});

test('a member whom the policy does not name can only read the request', async () => {
  const { id } = await ask({ approvers: OWNERS });
  const page = await reviewer.get(`/approvals/${id}`);
  expect(page.text).toContain("You can't decide this The policy asks for an owner of the organization to decide this.");
  expect(page.html).not.toContain('name="decision"');
  const refused = await reviewer.post(`/approvals/${id}/decide`, { decision: 'approve' });
  expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('You may not do this')]);
  expect((await rowOf(id)).status).toBe('pending');
  expect(await bed.gateway.db('activity').where({ approval_id: id, type: 'approval.decision_refused' })).toHaveLength(1);
  expect((await (await aMember(bed, 'owner')).post(`/approvals/${id}/decide`, { decision: 'approve' })).status).toBe(303);
});

test('an overlong reason is refused and stays in the form', async () => {
  const { id } = await ask();
  const answer = await reviewer.post(`/approvals/${id}/decide`, { decision: 'approve', reason: `<b>${'x'.repeat(2001)}` });
  expect([answer.status, answer.html]).toEqual([400, expect.stringContaining(`&lt;b&gt;${'x'.repeat(2001)}</textarea>`)]);
  expect((await rowOf(id)).status).toBe('pending');
});

test('the inbox lists pending requests; the badge counts those that the member can decide', async () => {
  const [mine, theirs] = [await ask(), await ask({ approvers: OWNERS, source: 'mcp_code' })];
  const decided = await ask();
  await reviewer.post(`/approvals/${decided.id}/decide`, { decision: 'reject' });
  const inbox = async (query = '') => (await reviewer.get(`/approvals${query}`)).html;
  const first = await inbox();
  expect(first).toContain('aria-label="Approvals, 1 waiting"');
  expect(first).toContain(`aria-label="Select Send request, ${mine.id}"`);
  expect(first).not.toContain(`aria-label="Select Send request, ${theirs.id}"`);
  const shown = (html: string) => [mine, theirs, decided].map(({ id }) => html.includes(`/approvals/${id}"`));
  expect(shown(first)).toEqual([true, true, false]);
  expect(shown(await inbox('?status=all'))).toEqual([true, true, true]);
  expect(shown(await inbox('?status=rejected'))).toEqual([false, false, true]);
  expect(shown(await inbox('?source=mcp_code'))).toEqual([false, true, false]);
  expect(shown(await inbox('?integration=none'))).toEqual([false, false, false]);
  expect(await inbox('?integration=none')).toContain('Nothing matches these filters.');
  const offered = [
    ...first
      .split('name="integration"')[1]!
      .split('</select>')[0]!
      .matchAll(/<option[^>]*>([^<]+)/g),
  ].map(([, label]) => label!);
  expect(offered.slice(1)).toEqual(offered.slice(1).toSorted((a, b) => a.localeCompare(b, 'en')));
  expect(offered).toContain('HTTP');
  const [{ id }] = await bed.gateway.db('workspaces').insert({ org_id: bed.orgId, name: 'Empty', slug: 'empty' }).returning('id');
  expect(shown(await inbox(`?workspace=${id}`))).toEqual([false, false, false]);
});

test('an empty inbox links to the policies or to the decided requests', async () => {
  expect((await reviewer.get('/approvals')).text).toContain('No approvals yet. An approval appears here when a policy asks a person.');
  const admin = await aMember(bed, 'admin');
  expect((await admin.get('/approvals')).html).toContain('<a href="/app/policies/new">New policy</a>');
  const { id } = await ask();
  await reviewer.post(`/approvals/${id}/decide`, { decision: 'reject' });
  const after = await reviewer.get('/approvals');
  expect(after.html).toContain('<span>Nothing waits for a decision.</span> <a href="/app/approvals?status=all">All approvals</a>');
  expect(after.text).not.toContain('No approvals yet.');
});

test('a page lists fifty requests; the next page continues after them', async () => {
  for (let made = 0; made < 51; made++) await ask({ inputHash: `hash-${made}` });
  const first = await reviewer.get('/approvals');
  expect(first.html.match(/role="rowheader"/g)).toHaveLength(50);
  const [, next] = /<a class="button" href="\/app([^"]+)">Next page/.exec(first.html)!;
  const second = await reviewer.get(next!.replaceAll('&amp;', '&'));
  expect(second.html.match(/role="rowheader"/g)).toHaveLength(1);
  expect((await reviewer.get('/approvals?page=nonsense')).status).toBe(400);
});

test('a bulk decision names each request, counts requests that others decided meanwhile, and skips programs', async () => {
  const [first, second, third] = [await ask(), await ask({ inputHash: 'b' }), await ask({ inputHash: 'c', approvers: OWNERS })];
  const plan = await aPlan(pageBed(bed), null, CODE);
  const query = new URLSearchParams([
    ['decision', 'approve'],
    ...[first, second, third, plan].map(({ id }) => ['id', id] as [string, string]),
  ]);
  const page = await reviewer.get(`/approvals/decide?${query}`);
  expect(page.text).toContain('Approve 3 requests?');
  for (const { id } of [first, second, third]) expect(page.html).toContain(`href="/app/approvals/${id}"`);
  await (await aMember(bed, 'owner')).post(`/approvals/${second.id}/decide`, { decision: 'reject' });
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin', Cookie: reviewer.cookie };
  const answer = await fetch(`${bed.apiUrl}/app/approvals/decide`, { method: 'POST', body: query, headers, redirect: 'manual' });
  expect(answer.status).toBe(303);
  const statuses = await Promise.all([first, second, third, plan].map(async ({ id }) => (await rowOf(id)).status));
  expect(statuses).toEqual(['approved', 'rejected', 'pending', 'pending']);
  const notice = Buffer.from(/gateway_done=([\w-]+)/.exec(answer.headers.get('set-cookie')!)![1]!, 'base64url').toString();
  expect(notice).toBe('1 was approved. 1 was already decided. 1 was not for you to decide.');
});

test('the overview lists the oldest requests; an approved request has a receipt', async () => {
  const asked = [];
  for (let made = 0; made < 6; made++) asked.push(await ask({ inputHash: `hash-${made}` }));
  const overview = await reviewer.get('');
  // "Activity", below this section, names the newest requests.
  const waiting = /<section[^>]*aria-labelledby="waiting">.*?<\/section>/s.exec(overview.html)![0];
  expect(asked.map(({ id }) => waiting.includes(id))).toEqual([true, true, true, true, true, false]);
  expect(overview.text).toContain('All waiting approvals');
  expect((await (await aMember(bed, 'viewer')).get('')).text).toContain('Nothing waits for you.');
  await reviewer.post(`/approvals/${asked[0]!.id}/decide`, { decision: 'approve' });
  const receipt = await reviewer.get(`/approvals/${asked[0]!.id}/receipt`);
  expect(receipt.html).toMatch(/readonly[^>]*>eyJ[\w-]+\.[\w-]+\.[\w-]+<\/textarea>/);
});

test('hostile input is shown as text', async () => {
  const { id } = await anApprovalOf(pageBed(bed), { url: '<img src=x onerror=alert(1)>\u202E', word: 'x'.repeat(100_000) });
  const { html, status } = await reviewer.get(`/approvals/${id}`);
  expect(status).toBe(200);
  expect(html).not.toContain('<img');
  expect(html).toContain('\\u{202e}');
});

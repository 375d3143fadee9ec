import { type ApiBed, openApiBed } from '../../../api-bed.ts';
import { anApproval } from '../../page-bed.ts';
import { type AppMember, aMember, pageBed } from '../app-bed.ts';

let bed: ApiBed;
let reviewer: AppMember;
beforeAll(async () => {
  bed = await openApiBed();
});
beforeEach(async () => {
  await bed.gateway.db('approvals').delete();
  reviewer = await aMember(bed, 'member');
});
afterAll(() => bed.close());

const ask = () => anApproval(pageBed(bed));
const shown = (html: string) => /action="\/app\/approvals\/(apr_\w+)\/decide"/.exec(html)?.[1];
const rowsOf = (html: string) => [...html.matchAll(/<tr role="row" id="row-(apr_\w+)"/g)].map(([, id]) => id);

test('the preview shows the current row, by default the newest', async () => {
  const [first, second] = [await ask(), await ask()];
  const { html } = await reviewer.get('/approvals');
  expect(shown(html)).toBe(second.id);
  expect(html).toContain(`id="row-${second.id}" aria-current="true"`);
  expect(shown((await reviewer.get(`/approvals?current=${first.id}`)).html)).toBe(first.id);
  const { status, location } = await reviewer.post(`/approvals/${first.id}/decide`, {
    decision: 'approve',
    next: '/app/approvals?source=',
  });
  expect([status, location]).toEqual([303, '/app/approvals?source=']);
  const after = await reviewer.get('/approvals');
  expect([after.text.includes('You approved the request.'), rowsOf(after.html)]).toEqual([true, [second.id]]);
});

test('a decision redirects only within the dashboard', async () => {
  const { id } = await ask();
  const { location } = await reviewer.post(`/approvals/${id}/decide`, { decision: 'reject', next: '//example.com/x' });
  expect(location).toBe('/app');
});

test('approvals named by `keep` are listed even if the filter excludes them', async () => {
  const [first, second] = [await ask(), await ask()];
  await (await aMember(bed, 'owner')).post(`/approvals/${first.id}/decide`, { decision: 'reject' });
  const unknown = `${first.id.slice(0, -3)}xyz`;
  expect(rowsOf((await reviewer.get(`/approvals?keep=${first.id}&keep=${unknown}`)).html)).toEqual([second.id, first.id]);
  const [{ orgId }] = await bed.gateway.db('orgs').insert({ name: 'Other' }).returning('id as orgId');
  const foreign = await aMember({ ...bed, orgId }, 'owner');
  expect(rowsOf((await foreign.get(`/approvals?keep=${first.id}&current=${second.id}`)).html)).toEqual([]);
  for (const bad of ['keep=%00', 'keep=x', 'current=%00', `keep=${'x'.repeat(5000)}`])
    expect((await reviewer.get(`/approvals?${bad}`)).status).toBe(200);
});

test('a viewer sees the preview without a form', async () => {
  await ask();
  const { html, text } = await (await aMember(bed, 'viewer')).get('/approvals');
  expect([shown(html), text.includes('Approve selected'), text.includes('Preview')]).toEqual([undefined, false, true]);
});

import { type ApiBed, openApiBed } from '../../../api-bed.ts';
import { anApproval } from '../../page-bed.ts';
import { type AppMember, aMember, pageBed } from '../app-bed.ts';

let bed: ApiBed;
let viewer: AppMember;
beforeAll(async () => {
  bed = await openApiBed();
  viewer = await aMember(bed, 'viewer');
});
afterAll(() => bed.close());

const found = async (query: string) => {
  const { html } = await viewer.get(`/go?${new URLSearchParams({ q: query })}`);
  return [...(html.split('id="found"')[1] ?? '').matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href);
};

test('screens are found by part of their name, an approval by its id', async () => {
  const { id } = await anApproval(pageBed(bed));
  expect(await found('approv')).toContain('/app/approvals');
  expect(await found(id)).toEqual([`/app/approvals/${id}`]);
  expect(await found('overview')).toEqual(['/app']);
});

test('special characters of patterns are matched literally; an empty result says so', async () => {
  for (const text of ['%', '_', '\\', "'", '\u0000', 'x'.repeat(100_000), 'ap%als'])
    expect([text.slice(0, 9), await found(text)]).toEqual([text.slice(0, 9), []]);
  expect((await viewer.get('/go?q=none')).text).toContain('Nothing has this name or id.');
});

test('records of another organization are not found', async () => {
  const [{ orgId }] = await bed.gateway.db('orgs').insert({ name: 'Other' }).returning('id as orgId');
  const { id } = await anApproval(pageBed(bed));
  const foreign = await aMember({ ...bed, orgId }, 'owner');
  expect((await foreign.get(`/go?q=${id}`)).html).not.toContain('id="found"');
});

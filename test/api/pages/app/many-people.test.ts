import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { readPlans } from '../../read-plans.ts';
import { type AppMember, aMember } from './app-bed.ts';

const PEOPLE = 10_000;

let bed: ApiBed;
let viewer: AppMember;
beforeAll(async () => {
  bed = await openApiBed();
  viewer = await aMember(bed, 'viewer');
  await bed.patient.raw(
    `insert into end_users (org_id, workspace_id, external_id, display_name, email, created_at)
     select :orgId, :workspaceId, 'user-' || n, 'Person ' || md5(n::text), 'p' || n || '@example.com', now() + n * interval '1 ms'
     from generate_series(1, ${PEOPLE}) as n`,
    { orgId: bed.orgId, workspaceId: bed.workspaceId },
  );
  const made = bed.api.must(201);
  const { workspaceId } = bed;
  await made.post('/api/v1/end-users', { workspaceId, externalId: 'ada', displayName: 'Ada LOVELACE', email: 'countess@Mail.example' });
  await made.post('/api/v1/end-users', { workspaceId, externalId: 'istanbul', displayName: 'İstanbul' });
  await bed.patient.raw('analyze end_users');
}, 120_000);
afterAll(() => bed?.close());

test.each([
  ['/people', 'velac', 'Ada LOVELACE'],
  ['/people', 'A LOVE', 'Ada LOVELACE'],
  ['/people', 'ss@mail', 'Ada LOVELACE'],
  ['/people', 'tanbul', 'İstanbul'],
  ['/people', 'user-9876', 'user-9876'],
  ['/go', 'velac', 'Ada LOVELACE'],
  ['/go', 'user-9876', 'Person'],
])('%s finds %s among many people without reading all of them', async (path, text, found) => {
  const query = new URLSearchParams({ [path === '/go' ? 'q' : 'text']: text });
  const seen: string[] = [];
  const plans = await readPlans(bed.gateway.db, 'end_users', async () => seen.push((await viewer.get(`${path}?${query}`)).text), {
    bitmaps: true,
  });
  expect(seen[0]).toContain(found);
  const searches = plans.filter((plan) => plan.includes('search_parts'));
  expect(searches.length).toBeGreaterThan(0);
  for (const plan of searches) {
    expect(plan).toContain('end_users_search');
    expect(plan).not.toMatch(/Seq Scan on end_users|Rows Removed by Filter: \d{3}/);
  }
});

test('two letters are enough to find a person; special characters of patterns are matched literally', async () => {
  expect((await viewer.get('/people?text=VE')).text).toContain('Ada LOVELACE');
  expect((await viewer.get('/people?text=%25')).text).toContain('Nothing matches these filters.');
  expect((await viewer.get('/people?text=A_a%25')).text).toContain('Nothing matches these filters.');
  const { endUsers } = await bed.api.must(200).get(`/api/v1/end-users?workspaceId=${bed.workspaceId}&limit=1`);
  expect((await viewer.get(`/go?q=${endUsers[0].id}`)).html).toContain(`/people/${endUsers[0].id}`);
});

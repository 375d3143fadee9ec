import { randomUUID } from 'node:crypto';
import { SCREENS } from '../../../../api/pages/app/screens.ts';
import { ORG_ROLES } from '../../../../domain/policies/policy.ts';
import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { type AppClient, aMember, appClient } from './app-bed.ts';
import { screenIds } from './screen-ids.ts';
import { SCREEN_MATRIX, type ScreenIds, type ScreenRow } from './screen-matrix.ts';

let bed: ApiBed;
let ids: ScreenIds;
beforeAll(async () => {
  bed = await openApiBed();
  ids = await screenIds(bed);
});
afterAll(() => bed.close());

const ACTS = SCREENS.flatMap((screen) => [...(screen.get ? [`get ${screen.path}`] : []), ...(screen.post ? [`post ${screen.path}`] : [])]);

function send(client: AppClient, act: string, params: Record<string, string>, row: ScreenRow) {
  const [method, path] = act.split(' ') as ['get' | 'post', string];
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? randomUUID())).replace(/^\/$/, '');
  return method === 'get' ? client.get(filled) : client.post(filled, row.fields?.(ids));
}

test('every action of every screen has a row in the matrix, and every row an action', () => {
  expect(Object.keys(SCREEN_MATRIX).sort()).toEqual(ACTS.toSorted());
});

// Owners last, because they may delete records that the other roles need.
describe.each(ORG_ROLES.toReversed())('%s', (role) => {
  test.each(Object.entries(SCREEN_MATRIX))('%s', async (act, row) => {
    // A new member for each action, because some end the session.
    const member = await aMember(bed, role);
    const { status, text } = await send(member, act, row.params?.(ids) ?? {}, row);
    expect([act, status]).toEqual([act, row.expect[role]]);
    if (status === 403) expect(text).toMatch(/You may not do this.*(Owner|Admin|Reviewer)/);
  });
});

test('without a session no screen is shown and no action runs', async () => {
  for (const [act, row] of Object.entries(SCREEN_MATRIX)) {
    const { status, location } = await send(appClient(bed), act, row.params?.(ids) ?? {}, row);
    if (act.startsWith('get')) expect([act, status, location]).toEqual([act, 303, expect.stringContaining('/app/sign-in?next=')]);
    else expect([act, status]).toEqual([act, 401]);
  }
});

test('ids of another organization, unknown and malformed ones get one answer', async () => {
  const owner = await aMember(bed, 'owner');
  const { orgId } = await bed.gateway
    .db('orgs')
    .insert({ name: 'Other' })
    .returning('id as orgId')
    .then(([row]) => row);
  const foreign = await aMember({ ...bed, orgId }, 'viewer');
  for (const [act, row] of Object.entries(SCREEN_MATRIX).filter(([act]) => act.includes('{'))) {
    for (const id of [foreign.id, randomUUID(), 'x', '%00']) {
      const { status, text } = await send(owner, act, { id }, row);
      expect([act, id, status, text]).toEqual([act, id, 404, expect.stringContaining('There is nothing here')]);
    }
  }
  const workspace = await bed.gateway
    .db('workspaces')
    .insert({ org_id: orgId, name: 'x', slug: 'x' })
    .returning('id')
    .then(([row]) => row.id);
  for (const id of [workspace, randomUUID(), 'x']) expect((await owner.get(`?workspace=${id}`)).status).toBe(404);
});

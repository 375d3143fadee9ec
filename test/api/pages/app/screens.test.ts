import { randomUUID } from 'node:crypto';
import { screenFinder } from '../../../../api/pages/app/find-screen.ts';
import { PUBLIC_SCREENS, SCREENS } from '../../../../api/pages/app/screens.ts';
import { ORG_ROLES } from '../../../../domain/policies/policy.ts';
import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { type AppClient, aMember, appClient } from './app-bed.ts';
import { screenIds } from './screen-ids.ts';
import { SCREEN_MATRIX } from './screen-matrix.ts';
import { type Filling, filledPath, isLookedAt, type ScreenIds, statesOf } from './screen-row.ts';

let bed: ApiBed;
let ids: ScreenIds;
beforeAll(async () => {
  bed = await openApiBed();
  ids = await screenIds(bed);
});
afterAll(() => bed.close());

const ACTS = SCREENS.flatMap((screen) => [...(screen.get ? [`get ${screen.path}`] : []), ...(screen.post ? [`post ${screen.path}`] : [])]);

function send(client: AppClient, act: string, row: Filling, params: Record<string, string> = row.params?.(ids) ?? {}) {
  const path = filledPath(act, { ...row, params: () => params }, ids);
  return act.startsWith('get ') ? client.get(path) : client.post(path, row.fields?.(ids));
}

test('the matrix has exactly the acts of the screens', () => {
  expect(Object.keys(SCREEN_MATRIX).sort()).toEqual(ACTS.toSorted());
});

test('each page is shown to an owner or redirects the owner', () => {
  const shown = Object.entries(SCREEN_MATRIX).filter(([act, { isData }]) => act.startsWith('get ') && !isData);
  const unseen = shown.filter(([act, row]) => !isLookedAt(act, row) && row.expect.owner !== 303).map(([act]) => act);
  expect(unseen).toEqual([]);
});

const findScreen = screenFinder(SCREENS);
const findPublic = screenFinder(PUBLIC_SCREENS);

function offeredBy(html: string, at: string): { act: string; path: string; isLink: boolean }[] {
  const attribute = (tag: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll('&amp;', '&');
  const offered: { act: string; path: string; isLink: boolean }[] = [];
  const add = (method: string, href = at, isLink = false) => {
    const url = new URL(href, `${bed.apiUrl}/app${at}`);
    if (url.origin !== bed.apiUrl || !/^\/app(?:\/|$)/.test(url.pathname)) return;
    const path = url.pathname.slice('/app'.length) || '/';
    const found = findScreen(path);
    if (found || !findPublic(path)) offered.push({ act: `${method} ${found?.screen.path ?? path}`, path: path + url.search, isLink });
  };
  for (const [tag] of html.matchAll(/<a\b[^>]*>/g)) if (/ href="/.test(tag)) add('get', attribute(tag, 'href'), true);
  for (const [tag] of html.matchAll(/<form\b[^>]*>/g))
    if (!/dialog/.test(tag)) add(attribute(tag, 'method') ?? 'get', attribute(tag, 'action'));
  for (const [tag] of html.matchAll(/<button\b[^>]* formaction=[^>]*>/g)) add('post', attribute(tag, 'formaction'));
  return offered;
}

test.each(ORG_ROLES)('pages for the role %s offer only acts that the matrix allows, and no broken link', async (role) => {
  const member = await aMember(bed, role);
  const pages = Object.entries(SCREEN_MATRIX).filter(([act, row]) => isLookedAt(act, row) && row.expect[role] === 200);
  const links = new Set<string>();
  for (const [act, row] of pages) {
    for (const { filling } of statesOf(row)) {
      const path = filledPath(act, filling, ids);
      const { status, html } = await member.get(path);
      expect([path, status]).toEqual([path, 200]);
      for (const offered of offeredBy(html, path)) {
        const may = SCREEN_MATRIX[offered.act] && SCREEN_MATRIX[offered.act]!.expect[role] !== 403;
        expect([path, offered, may]).toEqual([path, offered, true]);
        if (offered.isLink) links.add(offered.path);
      }
    }
  }
  for (const link of links) {
    const { status } = await member.get(link.replace(/^\/(?=$|\?)/, ''));
    expect([link, status === 200 || status === 303]).toEqual([link, true]);
  }
});

// Owners act last, because they can delete records that the other roles need.
describe.each(ORG_ROLES.toReversed())('%s', (role) => {
  test.each(Object.entries(SCREEN_MATRIX))('%s', async (act, row) => {
    // Each act uses a new member, because some acts end the session.
    const member = await aMember(bed, role);
    const { status, text } = await send(member, act, row);
    expect([act, status]).toEqual([act, row.expect[role]]);
    if (status === 403) expect(text).toMatch(/You may not do this.*(Owner|Admin|Reviewer)/);
  });
});

test('without a session, no screen is shown and no act runs', async () => {
  for (const [act, row] of Object.entries(SCREEN_MATRIX)) {
    const { status, location } = await send(appClient(bed), act, row);
    if (act.startsWith('get')) expect([act, status, location]).toEqual([act, 303, expect.stringContaining('/app/sign-in?next=')]);
    else expect([act, status]).toEqual([act, 401]);
  }
});

test.each([
  ['PUT', '/approvals', 405, 'GET, HEAD'],
  ['DELETE', '/workspaces/new', 405, 'GET, HEAD, POST'],
  ['OPTIONS', '/sign-out', 405, 'POST'],
  ['PATCH', '/nothing', 404, null],
  ['POST', '/events', 405, 'GET'],
  ['HEAD', '/events', 405, 'GET'],
  ['POST', '/assets/nothing.js', 405, 'GET, HEAD'],
])('%s %s answers %i and names the methods that are possible', async (method, path, status, allow) => {
  const answer = await fetch(`${bed.apiUrl}/app${path}`, { method, headers: { 'sec-fetch-site': 'same-origin' } });
  expect([answer.status, answer.headers.get('allow')]).toEqual([status, allow]);
});

test('unknown, malformed and foreign ids all get the same answer', async () => {
  const owner = await aMember(bed, 'owner');
  const { orgId } = await bed.gateway
    .db('orgs')
    .insert({ name: 'Other' })
    .returning('id as orgId')
    .then(([row]) => row);
  const foreign = await aMember({ ...bed, orgId }, 'viewer');
  for (const [act, row] of Object.entries(SCREEN_MATRIX).filter(([act]) => act.includes('{'))) {
    for (const id of [foreign.id, randomUUID(), 'x', '%00']) {
      const { status, text } = await send(owner, act, row, { id });
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

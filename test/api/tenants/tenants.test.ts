import { ROUTES } from '../../../api/routes.ts';
import { openTokens } from '../../../infra/tokens.ts';
import type { Caller } from '../../support/caller.ts';
import { patientDatabase } from '../../support/patient-database.ts';
import { system } from '../../support/system.ts';
import { aWorkspace, checkedCaller, checkedTenant, withKey, withWorkspaceKey } from '../checked-caller.ts';
import { aWorld, type World } from './a-world.ts';
import { type Expectations, MATRIX, type Row } from './matrix.ts';

type Target = (typeof ROUTES)[number];

const nameOf = ({ method, path }: Target) => `${method} ${path}`;
const byName = new Map(ROUTES.map((route) => [nameOf(route), route]));
const rows = Object.entries(MATRIX).map(([name, row]) => [name, byName.get(name)!, row] as const);
const keyed = rows.filter(([, route]) => route?.access !== 'public');
const withId = rows.filter(([, , row]) => row.ids !== undefined);
const lists = rows.filter(([, { method }, row]) => method === 'get' && row.expect.stranger === '200');

test('every route has a row in the matrix, and every row has a route', () => {
  expect(Object.keys(MATRIX).sort()).toEqual([...byName.keys()].sort());
});

function pathOf(world: World, { path }: Target, { ids, query }: Row): string {
  const named = ids?.(world) ?? {};
  const search = query ? `?${new URLSearchParams(query(world))}` : '';
  return path.replace(/\{(\w+)\}/g, (_, name) => named[name]!) + search;
}

async function ask(caller: Caller, world: World, route: Target, row: Row, path = pathOf(world, route, row)): Promise<string> {
  const { status, body } = await caller[route.method](path, row.body?.(world));
  return body?.code ? `${status} ${body.code}` : String(status);
}

let world: World;
let outside: Record<'stranger' | 'neighbour' | 'locked', Caller>;
beforeAll(async () => {
  world = await aWorld();
  outside = {
    stranger: (await checkedTenant()).api,
    neighbour: await withWorkspaceKey(world.tenant, [await aWorkspace(world.tenant, 'next-door')], { decide: true }),
    locked: await withKey(world.tenant, { scope: 'workspace', workspaceIds: [] }),
  };
});

describe.each(['stranger', 'neighbour', 'locked'] as const)('the %s key', (principal) => {
  test.each(rows)('gets the expected answer: %s', async (_, route, row) => {
    expect(await ask(outside[principal], world, route, row)).toBe(row.expect[principal]);
  });

  test.each(lists)('can read no record of the world in %s', async (_, route, row) => {
    const { body } = await outside[principal].get(pathOf(world, route, row));
    const ids = Object.values(world).flatMap((value) => (typeof value === 'string' ? [value] : []));
    const text = JSON.stringify(body);
    expect(ids.filter((id) => text.includes(id))).toEqual([]);
  });
});

// Each key has its own world, because the last rows delete the records.
test.each<[keyof Expectations, (world: World) => Promise<Caller>]>([
  ['here', ({ tenant }) => withWorkspaceKey(tenant, undefined, { decide: true })],
  ['org', async ({ tenant }) => tenant.api],
  ['plain', ({ tenant }) => withKey(tenant, {})],
])('the %s key gets the expected answer at every route', async (principal, keyFor) => {
  const own = await aWorld();
  const caller = await keyFor(own);
  const answers: Record<string, string> = {};
  for (const [name, route, row] of rows) answers[name] = await ask(caller, own, route, row);
  expect(answers).toEqual(Object.fromEntries(rows.map(([name, , row]) => [name, row.expect[principal]])));
});

test.each(withId)('unknown and malformed ids get the same answer as foreign ids: %s', async (_, route, row) => {
  const kind = /\/(approvals|code-runs)\//.exec(route.path)?.[1];
  const unknown = { approvals: 'apr_0000000000000000000000', 'code-runs': 'crun_0000000000000000000000' }[kind ?? ''];
  for (const id of [unknown ?? '00000000-0000-4000-8000-000000000000', "no-such-'id", '%00']) {
    const answer = await ask(world.tenant.api, world, route, row, route.path.replace(/\{\w+\}/g, id));
    expect(answer).toBe(route.path.includes('{name}') ? '404 INTEGRATION_NOT_FOUND' : row.expect.stranger);
  }
});

const byId = withId.filter(([, { path }]) => !path.includes('{name}'));

test.each(byId)('the body of the answer is the same for a foreign, an unknown and a malformed id: %s', async (_, route, row) => {
  const ids = Object.keys(row.ids!(world));
  const foreign = await outside.stranger[route.method](pathOf(world, route, row), row.body?.(world));
  for (const id of ['00000000-0000-4000-8000-000000000000', "no-such-'id", '\0', '💥', '1']) {
    const path = ids.reduce((filled, name) => filled.replace(`{${name}}`, encodeURIComponent(id)), route.path);
    expect([id, (await outside.stranger[route.method](path, row.body?.(world))).body]).toEqual([id, foreign.body]);
  }
});

const twoIds = byId.filter(([, { path }]) => path.split('{').length === 3 && !path.includes('{alias}'));

test.each(twoIds)('an unknown and a malformed id below a known record get the same answer: %s', async (_, route, row) => {
  const [outer, inner] = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const path = route.path.replace(`{${outer}}`, row.ids!(world)[outer!]!);
  const answers = await Promise.all(
    ['00000000-0000-4000-8000-000000000000', '2147483640', "no-such-'id", '\0', '0', '1e3'].map(async (id) => {
      const { status, body } = await world.tenant.api[route.method](path.replace(`{${inner}}`, encodeURIComponent(id)), row.body?.(world));
      return { status, body };
    }),
  );
  expect(answers).toEqual(answers.map(() => ({ status: 404, body: { code: 'NOT_FOUND', error: answers[0]!.body.error } })));
});

describe('an invalid credential', () => {
  let credentials: Record<string, string | undefined>;
  beforeAll(async () => {
    const { databaseUrl, secrets } = await system();
    const { api, apiUrl } = world.tenant;
    const [expiring, revoked] = await Promise.all(['Expiring', 'Revoked'].map((name) => api.must(200).post('/api/v1/api-keys', { name })));
    await checkedCaller(apiUrl, revoked.plainKey).must(200).delete(`/api/v1/api-keys/${revoked.apiKey.id}`);
    const db = patientDatabase(databaseUrl);
    await db('api_keys')
      .where({ id: expiring.apiKey.id })
      .update({ expires_at: new Date(Date.now() - 1000) });
    await db.destroy();
    credentials = {
      none: undefined,
      malformed: 'svc_not-a-key',
      'never issued': openTokens(secrets.TOKEN_PEPPER).issue('svc_'),
      expired: expiring.plainKey,
      revoked: revoked.plainKey,
      ...world.tokens,
    };
  });

  test.each(keyed)('gets 401 at every route: %s', async (_, route, row) => {
    const answers = await Promise.all(
      Object.entries(credentials).map(async ([name, credential]) => {
        const nobody = checkedCaller(world.tenant.apiUrl, credential);
        const { status, body, headers } = await nobody[route.method](pathOf(world, route, row), row.body?.(world));
        return [name, { status, body, challenge: headers.get('www-authenticate') }] as const;
      }),
    );
    const unauthorized = { status: 401, body: { code: 'UNAUTHORIZED', error: expect.any(String) }, challenge: 'Bearer' };
    for (const [name, answer] of answers) expect([name, answer]).toEqual([name, unauthorized]);
    expect(new Set(answers.map(([, { body }]) => JSON.stringify(body))).size).toBe(1);
  });
});

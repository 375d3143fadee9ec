import { ROUTES } from '../../api/routes.ts';
import type { Tenant } from '../support/tenant.ts';
import { checkedTenant } from './checked-caller.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await checkedTenant();
});

const pathOf = (path: string) => path.replace('{workspaceId}', tenant.workspaceId).replace(/\{\w+\}/g, NOBODY);
const REFUSED = { status: 400, body: { code: 'VALIDATION_ERROR' } };

describe.each(ROUTES.map((route) => [route.method, route.path, route] as const))('%s %s', (method, path, route) => {
  test.each(['surprise=1', 'surprise', '__proto__=1', 'constructor=1', 'limit[]=1', 'LIMIT=1', '%00=1', 'surprise=1&surprise=2'])(
    'refuses the unknown key of ?%s',
    async (query) => {
      // A route with a body can refuse `{}` with another code.
      const answer = await tenant.api[method](`${pathOf(path)}?${query}`, method === 'get' || method === 'delete' ? undefined : {});
      expect(answer.status).toBe(400);
      if (method === 'get' || !route.body) expect(answer).toMatchObject(REFUSED);
    },
  );
});

const NUMBERS = [
  '1e1',
  '0x10',
  '0b1',
  '0o7',
  '+1',
  '-1',
  '%201',
  '1%20',
  '1.0',
  '1.',
  '.5',
  '',
  '1,000',
  '1_0',
  '१',
  '１',
  'NaN',
  'Infinity',
  '1n',
  '9007199254740993',
];
const numbered = ROUTES.filter(({ query }) => query && 'limit' in (query as unknown as { shape: object }).shape);

test.each(numbered.map(({ path }) => [path]))('%s accepts only decimal digits as the limit', async (path) => {
  const owner = path === '/api/v1/end-users' ? `&workspaceId=${tenant.workspaceId}` : '';
  for (const number of NUMBERS)
    expect([number, await tenant.api.get(`${pathOf(path)}?limit=${number}${owner}`)]).toMatchObject([number, REFUSED]);
  for (const number of ['1', '01', '100', '0000000000000000000000001']) {
    const { status } = await tenant.api.get(`${pathOf(path)}?limit=${number}${owner}`);
    expect([number, status]).toEqual([number, pathOf(path).includes(NOBODY) ? 404 : 200]);
  }
  expect(await tenant.api.get(`${pathOf(path)}?limit=1&limit=1${owner}`)).toMatchObject(REFUSED);
});

test.each(['/api/v1/integrations?summary', '/api/v1/mcp/servers?includeSuspended'])(
  '%s accepts only the values true and false',
  async (flag) => {
    for (const value of ['1', '0', 'TRUE', 'True', 'yes', 'on', '', 'true%20', 'null']) {
      expect([value, await tenant.api.get(`${flag}=${value}`)]).toMatchObject([value, REFUSED]);
    }
    for (const value of ['true', 'false']) expect((await tenant.api.get(`${flag}=${value}`)).status).toBe(200);
    expect(await tenant.api.get(`${flag}=true&${flag.split('?')[1]}=true`)).toMatchObject(REFUSED);
  },
);

test('the credential is checked before the query, so a caller without a key learns nothing', async () => {
  const answer = await fetch(`${tenant.apiUrl}/api/v1/approvals?surprise=1`);
  expect(answer.status).toBe(401);
});

test('dates that do not exist in the calendar are refused', async () => {
  for (const [path, name] of [
    ['/api/v1/activity', 'from'],
    ['/api/v1/activity', 'to'],
    ['/api/v1/code-runs', 'createdFrom'],
    ['/api/v1/code-runs', 'createdBefore'],
  ] as const) {
    for (const date of ['2026-02-31T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-01T25:00:00Z', '2026-01-01', '0000-01-01T00:00:00Z'])
      expect([name, date, await tenant.api.get(`${path}?${name}=${date}`)]).toMatchObject([name, date, REFUSED]);
  }
});

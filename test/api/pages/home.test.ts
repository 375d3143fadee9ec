import { type ApiBed, openApiBed } from '../api-bed.ts';

const TEMPORAL_UI_URL = 'http://127.0.0.1:8233';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed({ TEMPORAL_UI_URL });
});
afterAll(() => bed.close());

test('a program without a key gets links as JSON, and the links to this service exist', async () => {
  const answer = await fetch(`${bed.apiUrl}/`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  const { links } = (await answer.json()) as { links: Record<string, string> };
  expect(links.temporalUi).toBe(TEMPORAL_UI_URL);
  const statuses = { dashboard: 200, docs: 200, openapi: 200, approvals: 401, health: 200, jwks: 200 };
  for (const [name, status] of Object.entries(statuses)) {
    const { pathname } = new URL(links[name]!);
    expect([name, (await fetch(bed.apiUrl + pathname)).status]).toEqual([name, status]);
  }
});

test('a browser is redirected to the dashboard, which asks for a sign-in', async () => {
  const headers = { accept: 'text/html,*/*;q=0.8' };
  const answer = await fetch(`${bed.apiUrl}/`, { headers, redirect: 'manual' });
  expect([answer.status, answer.headers.get('location'), answer.headers.get('vary')]).toEqual([303, '/app', 'Accept']);
  const page = await fetch(`${bed.apiUrl}/`, { headers });
  expect([page.status, new URL(page.url).pathname]).toEqual([200, '/app/sign-in']);
  expect(await page.text()).toContain('<h1>Sign in</h1>');
});

test('the OpenAPI document declares the links and the redirect', async () => {
  const read = async (path: string) => JSON.parse(await (await fetch(bed.apiUrl + path)).text());
  const { responses } = (await read('/openapi.json')).paths['/'].get;
  expect(Object.keys(responses)).toEqual(['200', '303']);
  const { links } = responses['200'].content['application/json'].schema.properties;
  expect(Object.keys(links.properties).toSorted()).toEqual(Object.keys((await read('/')).links).toSorted());
});

test('only GET and HEAD are allowed', async () => {
  const answer = await fetch(`${bed.apiUrl}/`, { method: 'POST' });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  expect((await fetch(`${bed.apiUrl}/`, { method: 'HEAD' })).status).toBe(200);
});

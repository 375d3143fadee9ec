import { accessibilityProblems, browserPath, OVERFLOW, openBrowser } from '../../support/browser.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';

const TEMPORAL_UI_URL = 'http://127.0.0.1:8233';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed({ TEMPORAL_UI_URL });
});
afterAll(() => bed.close());

test('a program gets JSON links without a key, and each link answers', async () => {
  const answer = await fetch(`${bed.apiUrl}/`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  const { links } = (await answer.json()) as { links: Record<string, string> };
  expect(links.temporalUi).toBe(TEMPORAL_UI_URL);
  const statuses = { docs: 200, openapi: 200, approvals: 401, health: 200, jwks: 200 };
  for (const [name, status] of Object.entries(statuses)) {
    const { pathname } = new URL(links[name]!);
    expect([name, (await fetch(bed.apiUrl + pathname)).status]).toEqual([name, status]);
  }
});

test('a browser gets a page with the same links and the headers of hosted pages', async () => {
  const answer = await fetch(`${bed.apiUrl}/`, { headers: { accept: 'text/html,*/*;q=0.8' } });
  const html = await answer.text();
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  for (const path of ['/docs', '/openapi.json', '/health', '/ready', '/.well-known/jwks.json']) expect(html).toContain(`${path}"`);
  expect(html).toContain(`href="${TEMPORAL_UI_URL}"`);
});

test('only GET and HEAD are allowed', async () => {
  const answer = await fetch(`${bed.apiUrl}/`, { method: 'POST' });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  expect((await fetch(`${bed.apiUrl}/`, { method: 'HEAD' })).status).toBe(200);
});

(browserPath ? test : test.skip)('the page is accessible and fits a phone', async () => {
  const browser = await openBrowser();
  try {
    const page = await (await browser.newContext({ viewport: { width: 360, height: 740 } })).newPage();
    await page.goto(`${bed.apiUrl}/`);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.evaluate(OVERFLOW)).toBe(0);
  } finally {
    await browser.close();
  }
});

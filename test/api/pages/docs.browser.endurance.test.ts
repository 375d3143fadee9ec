import type { Browser, BrowserContextOptions, Page as BrowserPage } from 'playwright-core';
import { accessibilityProblems, browserPath, OVERFLOW, openBrowser } from '../../support/browser.ts';
import { sampled } from '../../support/extent.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';

if (browserPath) describe('the docs in a real browser', inBrowser);
else test.skip('the docs in a real browser (skipped: Chromium and Chrome are not installed)', () => {});

function inBrowser(): void {
  let bed: ApiBed;
  let browser: Browser;
  beforeAll(async () => {
    bed = await openApiBed({ RATE_LIMIT_PER_SECOND: '50' });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await bed?.close();
  });

  async function open(options: BrowserContextOptions = {}, hash = ''): Promise<BrowserPage> {
    const page = await (await browser.newContext(options)).newPage();
    await page.goto(`${bed.apiUrl}/docs${hash}`);
    return page;
  }

  async function tryIt(page: BrowserPage, operation: string) {
    const part = page.locator(`#${operation}`);
    await part.getByRole('button', { name: /^Send/ }).click();
    await part.locator('.state').waitFor();
    const shown = (name: string) => part.getByRole('region', { name: `${name} of the answer` }).innerText();
    return { state: await part.locator('.state').innerText(), headers: await shown('Headers'), body: await shown('Body') };
  }

  test('a call sent from the page takes effect; the page shows the answer’s status, headers and body', async () => {
    const page = await open({}, '#postWorkspaces');
    await page.getByLabel('API key', { exact: true }).fill(bed.plainKey);
    await page.locator('#postWorkspaces').getByRole('textbox', { name: 'Body (JSON)' }).fill('{"name":"From the docs","slug":"it\'s-not"}');
    expect((await tryIt(page, 'postWorkspaces')).state).toBe('400 Bad Request');
    await page.locator('#postWorkspaces').getByRole('textbox', { name: 'Body (JSON)' }).fill('{"name":"From the docs","slug":"from-docs"}');
    const { state, headers, body } = await tryIt(page, 'postWorkspaces');
    expect(state).toBe('201 Created');
    expect(headers).toContain('x-request-id: ');
    expect(headers).toContain('x-ratelimit-remaining: ');
    const { workspace } = JSON.parse(body);
    expect((await bed.api.must(200).get(`/api/v1/workspaces/${workspace.id}`)).workspace.name).toBe('From the docs');
    await page.context().close();
  });

  test('a call uses the parameter fields, and the curl command omits the key', async () => {
    const page = await open({}, '#getWorkspacesId');
    await page.getByLabel('API key', { exact: true }).fill(bed.plainKey);
    await page.locator('#getWorkspacesId').getByLabel('id (path)').fill(bed.workspaceId);
    expect(JSON.parse((await tryIt(page, 'getWorkspacesId')).body).workspace.id).toBe(bed.workspaceId);
    const command = await page.getByRole('region', { name: 'getWorkspacesId as a curl command' }).innerText();
    expect(command).toContain(`curl -X GET '${bed.apiUrl}/api/v1/workspaces/${bed.workspaceId}'`);
    expect(command).toContain('Authorization: Bearer $API_KEY');
    expect(await page.content()).not.toContain(bed.plainKey);

    await page.goto(`${bed.apiUrl}/docs#getWorkspaces`);
    await page.getByLabel('API key', { exact: true }).fill(bed.plainKey);
    await page.locator('#getWorkspaces').getByLabel('limit (query, optional)').fill('1');
    expect(JSON.parse((await tryIt(page, 'getWorkspaces')).body).workspaces).toHaveLength(1);
    await page.context().close();
  });

  test('the key is not stored: a reloaded page does not have it', async () => {
    const page = await open({}, '#getWorkspaces');
    await page.getByLabel('API key', { exact: true }).fill(bed.plainKey);
    expect((await tryIt(page, 'getWorkspaces')).state).toBe('200 OK');
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])')).toBe('[{},{},""]');
    await page.reload();
    expect(await page.getByLabel('API key', { exact: true }).inputValue()).toBe('');
    expect((await tryIt(page, 'getWorkspaces')).state).toBe('401 Unauthorized');
    await page.context().close();
  });

  test('a public call sends no key', async () => {
    const page = await open({}, '#getHealth');
    await page.getByLabel('API key', { exact: true }).fill(bed.plainKey);
    const [request] = await Promise.all([page.waitForRequest(/\/health$/), tryIt(page, 'getHealth')]);
    expect(request.headers().authorization).toBeUndefined();
    await page.context().close();
  });

  test('an operation can be opened and sent by keyboard', async () => {
    const page = await open();
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to the reference');
    await page.locator('#getHealth > summary').focus();
    await page.keyboard.press('Enter');
    await page.locator('#getHealth').getByRole('button').focus();
    await page.keyboard.press('Space');
    await page.locator('#getHealth .state').waitFor();
    expect(await page.locator('#getHealth').getByRole('status').innerText()).toContain('200 OK');
    await page.context().close();
  });

  test('without scripts, an operation shows its example and no form', async () => {
    const page = await open({ javaScriptEnabled: false });
    expect(await page.getByLabel('API key', { exact: true }).isVisible()).toBe(false);
    await page.locator('#postActionsExecute > summary').click();
    const part = page.locator('#postActionsExecute');
    expect(await part.getByRole('region', { name: 'Body of postActionsExecute, example' }).isVisible()).toBe(true);
    expect(await part.getByRole('button').count()).toBe(0);
    await page.context().close();
  });

  test('the page requests nothing from other origins and follows its content security policy', async () => {
    const page = await (await browser.newContext()).newPage();
    const asked: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${bed.apiUrl}/docs`);
    await tryItAfterOpening(page);
    expect(asked).toEqual([`${bed.apiUrl}/docs`, `${bed.apiUrl}/docs/try.js`, `${bed.apiUrl}/health`]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  const tryItAfterOpening = async (page: BrowserPage) => {
    await page.locator('#getHealth > summary').click();
    await tryIt(page, 'getHealth');
  };

  const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 360, height: 740 } };
  const LOOKS = [
    ['desktop', 'light'],
    ['desktop', 'dark'],
    ['phone', 'light'],
    ['phone', 'dark'],
  ] as const;
  test.each(sampled(LOOKS, 1))(
    'on a %s, %s, the page fits and axe finds no violation',
    async (size, colorScheme) => {
      const page = await open({ viewport: SIZES[size], colorScheme });
      await tryItAfterOpening(page);
      await page.evaluate(UNFOLD('details'));
      expect(await page.evaluate(OVERFLOW)).toBe(0);
      await page.evaluate(FOLD);
      for (const id of ['getHealth', 'postConnections', 'getApprovals', 'patchApprovalPoliciesId', 'record-Approval'])
        await page.evaluate(UNFOLD(`#${id}`));
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.context().close();
    },
    120_000,
  );
}

const UNFOLD = (which: string) => `for (const part of document.querySelectorAll('${which}')) part.open = true`;
const FOLD = "for (const part of document.querySelectorAll('details')) part.open = false";

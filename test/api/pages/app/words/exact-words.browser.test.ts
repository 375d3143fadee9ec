import type { Browser, Page } from 'playwright-core';
import { browserPath, openBrowser } from '../../../../support/browser.ts';
import { type ApiBed, openApiBed } from '../../../api-bed.ts';
import { anApproval } from '../../page-bed.ts';
import { type AppMember, aMember, pageBed } from '../app-bed.ts';

/** Test tools find texts by exact match, so each sentence needs its own element. */
function inBrowser(): void {
  let bed: ApiBed;
  let browser: Browser;
  let admin: AppMember;
  beforeAll(async () => {
    [bed, browser] = await Promise.all([openApiBed(), openBrowser()]);
    admin = await aMember(bed, 'admin');
  });
  afterAll(async () => {
    await browser?.close();
    await bed?.close();
  });

  async function open(path: string, token: string | undefined = admin.sessionToken): Promise<Page> {
    const context = await browser.newContext();
    if (token) await context.addCookies([{ name: 'gateway', value: token, url: bed.apiUrl }]);
    const page = await context.newPage();
    await page.goto(`${bed.apiUrl}/app${path}`);
    return page;
  }

  const said = (page: Page, words: string) => page.getByText(words, { exact: true }).waitFor();

  test.each([
    ['/policies', 'No policies yet.'],
    ['/servers', 'No servers yet.'],
    ['/policies?policy=nothing', 'Nothing matches these filters.'],
  ])('the page %s has exactly the sentence "%s"', async (path, words) => {
    const page = await open(path);
    await said(page, words);
    await page.context().close();
  });

  test.each([
    ['/policies', 'Policies'],
    ['/policies/new', 'Policies'],
    ['/settings/members', 'Settings'],
    ['/playground/program', 'Playground'],
  ])('on %s, %s is the current entry in the navigation', async (path, name) => {
    const page = await open(path);
    const navigation = page.getByRole('navigation', { name: 'Main', exact: true });
    expect(await navigation.getByRole('link', { name, exact: true }).getAttribute('aria-current')).toBe('page');
    expect(await navigation.locator('[aria-current]:visible').count()).toBe(1);
    await page.context().close();
  });

  test('a failed sign-in shows one sentence', async () => {
    const page = await open('/sign-in', '');
    await page.getByLabel('E-mail', { exact: true }).fill('ada@example.com');
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    expect((await page.getByRole('alert').innerText()).trim()).toBe("That e-mail and password don't match.");
    await page.context().close();
  });

  test('the second member to decide reads that another member was first', async () => {
    const { id } = await anApproval(pageBed(bed));
    const context = await browser.newContext({ javaScriptEnabled: false });
    await context.addCookies([{ name: 'gateway', value: admin.sessionToken, url: bed.apiUrl }]);
    const page = await context.newPage();
    await page.goto(`${bed.apiUrl}/app/approvals/${id}`);
    await (await aMember(bed, 'member')).post(`/approvals/${id}/decide`, { decision: 'reject' });
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await said(page, 'Somebody else decided first.');
    await context.close();
  });

  test('a list can be filtered by an integration of the catalogue; "Clear filters" is beside the filters', async () => {
    const page = await open('/approvals');
    const filter = page.getByRole('search', { name: 'Filter', exact: true });
    await filter.getByLabel('Integration', { exact: true }).selectOption('http');
    await filter.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.waitForURL(/[?&]integration=http(&|$)/);
    await filter.getByRole('link', { name: 'Clear filters', exact: true }).click();
    await page.waitForURL(/\/app\/approvals$/);
    expect(await filter.getByRole('link', { name: 'Clear filters', exact: true }).count()).toBe(1);
    await page.context().close();
  });

  test('groups in a form can be found by their label', async () => {
    const page = await open('/policies/new');
    for (const name of ['Sources', 'Kinds of action', 'Integrations', 'Approvers', 'Decision', 'Mode'])
      expect([name, await page.getByLabel(name, { exact: true }).count()]).toEqual([name, 1]);
    await page.context().close();
  });
}

if (browserPath) describe('words that are found exactly, in a real browser', inBrowser);
else test.skip('words that are found exactly (skipped: Chromium and Chrome are not installed)', () => {});

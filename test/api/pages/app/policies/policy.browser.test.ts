import type { Browser, Page } from 'playwright-core';
import { browserPath, openBrowser } from '../../../../support/browser.ts';
import { type ApiBed, openApiBed } from '../../../api-bed.ts';
import { type AppMember, aMember } from '../app-bed.ts';

function inBrowser(): void {
  let bed: ApiBed;
  let browser: Browser;
  let admin: AppMember;
  beforeAll(async () => {
    [bed, browser] = await Promise.all([openApiBed(), openBrowser()]);
    admin = await aMember(bed, 'admin');
    for (const text of ['https://a.example', 'plain'])
      await bed.api.must(200).post('/api/v1/actions/execute', {
        ...{ workspaceId: bed.workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text } },
      });
  });
  afterAll(async () => {
    await browser?.close();
    await bed?.close();
  });

  async function open(path: string, scripts = true): Promise<Page> {
    const context = await browser.newContext({ javaScriptEnabled: scripts });
    await context.addCookies([{ name: 'gateway', value: admin.sessionToken, url: bed.apiUrl }]);
    const page = await context.newPage();
    await page.goto(`${bed.apiUrl}/app${path}`);
    return page;
  }

  const said = (page: Page, words: string) => page.getByRole('region', { name: 'Last 7 days' }).getByText(words).waitFor();

  test('the form of a new policy checks the last 7 days during typing, and tests a call without saving', async () => {
    const page = await open('/policies/new');
    await said(page, 'Would have matched 2 of 2 calls.');
    await page.getByLabel('Domains').fill('a.example');
    await said(page, 'Would have matched 1 of 2 calls.');
    await page.getByLabel('Amounts').fill('much');
    await said(page, 'Amounts has a line 1 that is not an amount');
    await page.getByLabel('Amounts').fill('');
    await said(page, 'Would have matched 1 of 2 calls.');
    const tried = page.getByRole('region', { name: 'Test a call' });
    await tried.getByLabel('Integration').selectOption('hash-encode');
    await tried.getByLabel('Input (JSON)').fill('{"text":"https://a.example"}');
    await tried.getByLabel('Action').fill('hash');
    await tried.getByLabel('Action').press('Enter');
    await tried.getByText('It matches: a person is asked.').waitFor();
    expect(await bed.gateway.db('approval_policies')).toEqual([]);
    await page.getByLabel('Name', { exact: true }).fill('Hosts');
    await page.getByRole('radiogroup', { name: 'Mode' }).getByLabel('Shadow').check();
    await page.getByRole('button', { name: 'Create policy' }).click();
    await page.getByRole('heading', { level: 1, name: 'Hosts' }).waitFor();
    const [policy] = await bed.gateway.db('approval_policies');
    expect(policy).toMatchObject({ name: 'Hosts', mode: 'shadow', rules: { domainDenylist: ['a.example'] } });
    await page.context().close();
  });

  test('without scripts, a button checks the last 7 days, and the form keeps its values', async () => {
    const page = await open('/policies/new', false);
    await page.getByLabel('Domains').fill('a.example');
    await page.getByRole('button', { name: 'Check the last 7 days' }).click();
    await said(page, 'Would have matched 1 of 2 calls.');
    expect(await page.getByLabel('Domains').inputValue()).toBe('a.example');
    await page.context().close();
  });
}

if (browserPath) describe('the form of a policy in a real browser', inBrowser);
else test.skip('the form of a policy in a real browser (skipped: Chromium and Chrome are not installed)', () => {});

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { browserPath, openBrowser } from '../../../../support/browser.ts';
import { type ApiBed, openApiBed } from '../../../api-bed.ts';
import { aMember } from '../app-bed.ts';

function inBrowser(): void {
  let bed: ApiBed;
  let browser: Browser;
  let page: Page;
  let ownerContext: BrowserContext;
  beforeAll(async () => {
    [bed, browser] = await Promise.all([openApiBed(), openBrowser()]);
    const admin = await aMember(bed, 'admin');
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    await context.addCookies([{ name: 'gateway', value: admin.sessionToken, url: bed.apiUrl }]);
    [page, ownerContext] = [await context.newPage(), await browser.newContext()];
    await page.goto(`${bed.apiUrl}/app`);
  });
  afterAll(async () => {
    await browser?.close();
    await bed?.close();
  });

  const main = () => page.getByRole('main');
  const link = (name: string) => main().getByRole('link', { name, exact: true });
  const button = (name: string) => main().getByRole('button', { name, exact: true });
  const field = (name: string) => main().getByRole('textbox', { name, exact: true });
  const choice = (name: string) => main().getByRole('combobox', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  const said = (sentence: string) => page.locator('main > [role="status"]').getByText(sentence, { exact: true }).waitFor();
  const visit = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).first().click();

  async function openAsOwner(): Promise<Page> {
    const shown = page.getByRole('region', { name: 'Copy it now' }).getByRole('textbox');
    const { pathname, search } = new URL(await shown.inputValue());
    const other = await ownerContext.newPage();
    await other.goto(bed.apiUrl + pathname + search);
    return other;
  }

  test('a person connects an account through the link that an admin created', async () => {
    await visit('Workspaces');
    await link('New workspace').click();
    await field('Name').fill('Customer support');
    await button('Create workspace').click();
    await heading('Customer support');
    await said('Customer support is created.');

    await page.getByRole('region', { name: 'People' }).getByRole('link', { name: 'New person' }).click();
    expect(await choice('Workspace').locator('option:checked').textContent()).toBe('Customer support');
    await field('External id').fill('user-42');
    await field('Display name').fill('Ada');
    await button('Create person').click();
    await heading('Ada');

    await button('Make a connect link').click();
    const portal = await openAsOwner();
    expect(await portal.getByRole('heading', { level: 1 }).count()).toBe(1);
    await link('Back to Ada').click();

    await visit('Connections');
    await link('Connect an account').click();
    await choice('Integration').selectOption('mail');
    await choice('Workspace').selectOption({ label: 'Customer support' });
    await main().getByRole('radio', { name: 'One person' }).check();
    await field('Person').fill('user-42');
    await field('Name').fill('Mail of Ada');
    await button('Connect an account').click();

    const connect = await openAsOwner();
    await connect.getByRole('textbox', { name: 'Token' }).fill('the secret of Ada');
    await connect.getByRole('button', { name: /^Connect/ }).click();
    await connect.getByText('Mail is connected').first().waitFor();

    await link('Back to connections').click();
    const row = page.getByRole('row', { name: /Mail of Ada/ });
    expect(await row.textContent()).toMatch(/user-42.*Works/s);
    await row.getByRole('link', { name: 'Mail of Ada' }).click();
    expect(await page.content()).not.toContain('the secret of Ada');
    await link('Disconnect').click();
    await heading('Disconnect Mail of Ada?');
    await button('Disconnect').click();
    await said('Mail of Ada is disconnected.');
    expect((await bed.api.must(200).get('/api/v1/connections')).total).toBe(0);
  });
}

if (browserPath) describe('accounts in a real browser', inBrowser);
else test.skip('accounts in a real browser (skipped: Chromium and Chrome are not installed)', () => {});

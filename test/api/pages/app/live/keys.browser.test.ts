import type { Browser, BrowserContext, Page } from 'playwright-core';
import { browserPath, openBrowser } from '../../../../support/browser.ts';
import { until } from '../../../../support/until.ts';
import { type ApiBed, openApiBed } from '../../../api-bed.ts';
import { anApproval } from '../../page-bed.ts';
import { aMember, pageBed } from '../app-bed.ts';

function inBrowser(): void {
  let bed: ApiBed;
  let browser: Browser;
  let context: BrowserContext;
  beforeAll(async () => {
    [bed, browser] = await Promise.all([openApiBed(), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await bed?.close();
  });
  beforeEach(async () => {
    await bed.gateway.db('approvals').delete();
    const member = await aMember(bed, 'member');
    context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    await context.addCookies([{ name: 'gateway', value: member.sessionToken, url: bed.apiUrl }]);
  });
  afterEach(() => context.close());

  const ask = () => anApproval(pageBed(bed));
  const statusOf = async ({ id }: { id: string }) => (await bed.gateway.db('approvals').where({ id }).first('status')).status;
  const previewOf = (page: Page) => page.getByRole('region', { name: 'Preview' });
  async function open(path: string): Promise<Page> {
    const page = await context.newPage();
    await page.goto(`${bed.apiUrl}/app${path}`);
    return page;
  }

  test('a request can be rejected by keyboard alone, but not with a single key', async () => {
    const [older, newer] = [await ask(), await ask()];
    const page = await open('/approvals');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await previewOf(page).locator(`a[href$="${older.id}"]`).first().waitFor();
    await page.keyboard.press('x');
    expect(await page.getByRole('checkbox', { name: new RegExp(older.id) }).isChecked()).toBe(true);
    await page.locator('th a').last().focus();
    await page.keyboard.press('r');
    await previewOf(page).getByLabel('Reason (optional)').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('ar no');
    await page.keyboard.press('Escape');
    expect([await statusOf(older), await statusOf(newer)]).toEqual(['pending', 'pending']);
    await page.keyboard.press('r');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('status').getByText('You rejected the request.').waitFor();
    expect([await statusOf(older), await statusOf(newer)]).toEqual(['rejected', 'pending']);
  });

  test('r waits for the preview of the row that j chose, and the keys typed meanwhile are no shortcuts', async () => {
    const [older] = [await ask(), await ask()];
    const page = await open('/approvals');
    let show: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      show = resolve;
    });
    await page.route(/[?&]current=/, async (route) => {
      await held;
      await route.continue();
    });
    for (const key of ['j', 'j', 'r', 'k', 'x']) await page.keyboard.press(key);
    show!();
    await previewOf(page).getByLabel('Reason (optional)').and(page.locator(':focus')).waitFor();
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('status').getByText('You rejected the request.').waitFor();
    expect(await statusOf(older)).toBe('rejected');
  });

  test.each(['the inbox', 'its page'])('keys typed after somebody else decided are no shortcuts, in %s', async (place) => {
    const request = await ask();
    const page = await open(place === 'its page' ? `/approvals/${request.id}` : '/approvals');
    const reason = page.getByLabel('Reason (optional)');
    await reason.fill('I think');
    const other = await aMember(bed, 'admin');
    expect((await other.post(`/approvals/${request.id}/decide`, { decision: 'reject' })).status).toBe(303);
    await page.getByRole('region', { name: 'Rejected' }).waitFor();
    const part = page.locator('[data-part]').and(page.locator(':focus'));
    await part.getByRole('region', { name: 'Rejected' }).waitFor();
    const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await page.keyboard.press('?');
    expect(await shortcuts.isVisible()).toBe(false);
    await page.keyboard.press('Tab');
    await page.keyboard.press('?');
    await shortcuts.waitFor();
  });

  test('shortcuts work on after the focused link of a decided request is gone', async () => {
    const request = await ask();
    const page = await open('');
    const link = page.getByRole('region', { name: 'Waiting for you' }).locator(`a[href$="${request.id}"]`);
    await link.focus();
    const other = await aMember(bed, 'admin');
    await other.post(`/approvals/${request.id}/decide`, { decision: 'reject' });
    await page.getByText('Nothing waits for you.').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  });

  test('Enter opens the current request, j goes to the next, and u returns', async () => {
    const [third, second, first] = [await ask(), await ask(), await ask()];
    const page = await open('/approvals');
    await previewOf(page).locator(`a[href$="${first.id}"]`).first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname.endsWith(first.id));
    await page.keyboard.press('u');
    await page.waitForURL((url) => url.pathname.endsWith('/approvals'));
    await previewOf(page).locator(`a[href$="${first.id}"]`).first().waitFor();
    for (const { id } of [second, third]) {
      await page.keyboard.press('j');
      await previewOf(page).locator(`a[href$="${id}"]`).first().waitFor();
    }
    await page.keyboard.press('k');
    await previewOf(page).locator(`a[href$="${second.id}"]`).first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname.endsWith(second.id));
    await page.keyboard.press('u');
    await page.waitForURL((url) => url.pathname.endsWith('/approvals'));
    await previewOf(page).locator(`a[href$="${second.id}"]`).first().waitFor();
  });

  test('an unfinished reason stays with its request', async () => {
    const [older] = [await ask(), await ask()];
    const page = await open('/approvals');
    const reason = previewOf(page).getByLabel('Reason (optional)');
    await reason.fill('for the newer');
    await page.locator('th a').last().focus();
    await previewOf(page).locator(`a[href$="${older.id}"]`).first().waitFor();
    expect(await reason.inputValue()).toBe('');
    await page.locator('th a').first().focus();
    expect(await until(async () => (await reason.inputValue()) || undefined)).toBe('for the newer');
  });

  test('keyboard shortcuts open screens, are listed by ?, and can be disabled', async () => {
    const page = await open('');
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.getByRole('heading', { name: 'Approvals', level: 1 }).waitFor();
    await page.keyboard.press('/');
    await page.getByLabel('Status').and(page.locator(':focus')).waitFor();
    await page.locator('main').focus();
    await page.keyboard.press('?');
    await dialog.getByRole('checkbox', { name: 'Use single-key shortcuts' }).uncheck();
    await page.reload();
    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');
    expect(await dialog.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    expect(await dialog.getByRole('checkbox').isChecked()).toBe(false);
  });

  test('Ctrl+K opens a screen by its name and a record by its id', async () => {
    const { id } = await ask();
    const page = await open('');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('approv');
    await page.getByRole('option', { name: 'Approvals' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    // Waits for the page to load, so that its scripts run.
    await page.waitForURL('**/approvals');
    await page.keyboard.press('Control+k');
    await page.keyboard.type(id);
    await page.getByRole('option', { name: id }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/approvals/${id}`);
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(1);
  });
}

if (browserPath) describe('keys in a real browser', inBrowser);
else test.skip('keys in a real browser (skipped: Chromium and Chrome are not installed)', () => {});

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { browserPath, openBrowser } from '../../../../support/browser.ts';
import { type ApiBed, openApiBed } from '../../../api-bed.ts';
import { anApproval } from '../../page-bed.ts';
import { type AppMember, aMember, pageBed } from '../app-bed.ts';

function inBrowser(): void {
  let bed: ApiBed;
  let browser: Browser;
  let member: AppMember;
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
    member = await aMember(bed, 'member');
    context = await browser.newContext();
    await context.addCookies([{ name: 'gateway', value: member.sessionToken, url: bed.apiUrl }]);
  });
  afterEach(() => context.close());

  const ask = () => anApproval(pageBed(bed));
  const rowOf = (page: Page, { id }: { id: string }) => page.getByRole('checkbox', { name: new RegExp(`^Select .+, ${id}$`) });

  async function openInbox(): Promise<Page> {
    const page = await context.newPage();
    await page.goto(`${bed.apiUrl}/app/approvals`);
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    return page;
  }

  test('a new request appears in the open inbox without changing focus or selection', async () => {
    const first = await ask();
    const page = await openInbox();
    await rowOf(page, first).check();
    const second = await ask();
    await rowOf(page, second).waitFor();
    await page.getByRole('status').getByText('1 new request', { exact: true }).waitFor();
    expect(await rowOf(page, first).isChecked()).toBe(true);
    expect(await rowOf(page, second).isChecked()).toBe(false);
    expect(await page.locator('input:focus').getAttribute('value')).toBe(first.id);
    await page.getByRole('link', { name: 'Approvals, 2 waiting' }).waitFor();
  });

  test('a request that another member decides disappears from the inbox', async () => {
    const [first, second] = [await ask(), await ask()];
    const page = await openInbox();
    await (await aMember(bed, 'owner')).post(`/approvals/${first.id}/decide`, { decision: 'reject' });
    await rowOf(page, first).waitFor({ state: 'detached' });
    expect(await rowOf(page, second).count()).toBe(1);
  });

  test('after an interruption of the stream, the page shows the missed changes without a reload', async () => {
    const page = await openInbox();
    await context.setOffline(true);
    await bed.patient.raw(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gateway-notices' and datname = current_database()",
    );
    await page.getByRole('status').getByText('Not live. Connecting …').waitFor();
    const banner = page.getByText("We can't reach the gateway. This page keeps its last state and continues automatically.");
    await banner.waitFor();
    const missed = await ask();
    await context.setOffline(false);
    await rowOf(page, missed).waitFor();
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await banner.waitFor({ state: 'detached' });
  });

  test('a new request in the inbox causes only two HTTP requests of the open page', async () => {
    const page = await openInbox();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const { id } = await ask();
    await rowOf(page, { id }).waitFor();
    await page.getByRole('link', { name: 'Approvals, 1 waiting' }).waitFor();
    expect(asked.toSorted()).toEqual(['/app/approvals', '/app/waiting']);
  });
}

if (browserPath) describe('live pages in a real browser', inBrowser);
else test.skip('live pages in a real browser (skipped: Chromium and Chrome are not installed)', () => {});

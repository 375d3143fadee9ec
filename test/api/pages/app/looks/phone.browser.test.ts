import type { Browser, Page } from 'playwright-core';
import { browserPath, openBrowser } from '../../../../support/browser.ts';
import { type ApiBed, openApiBed } from '../../../api-bed.ts';
import { anApproval } from '../../page-bed.ts';
import { type AppMember, aMember, pageBed } from '../app-bed.ts';

function inBrowser(): void {
  let bed: ApiBed;
  let browser: Browser;
  let owner: AppMember;
  beforeAll(async () => {
    [bed, browser] = await Promise.all([openApiBed(), openBrowser()]);
    owner = await aMember(bed, 'owner');
  });
  afterAll(async () => {
    await browser?.close();
    await bed?.close();
  });

  async function open(path: string): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
    await context.addCookies([{ name: 'gateway', value: owner.sessionToken, url: bed.apiUrl }]);
    const page = await context.newPage();
    await page.goto(`${bed.apiUrl}/app${path}`);
    return page;
  }

  const boxesOf = async (page: Page, role: 'link' | 'button', names: readonly string[]) =>
    Promise.all(names.map(async (name) => (await page.getByRole(role, { name, exact: true }).boundingBox())!));

  test('tabs of Settings are one line high', async () => {
    const page = await open('/settings/members');
    const tabs = await boxesOf(page, 'link', ['Organization', 'Members', 'Quotas', 'OAuth apps']);
    expect(tabs.map(({ height }) => height)).toEqual(tabs.map(() => 44));
  });

  test('the buttons for bulk decisions are on one line, less than 50 pixels high', async () => {
    await anApproval(pageBed(bed));
    const page = await open('/approvals');
    const [approve, reject] = await boxesOf(page, 'button', ['Approve selected', 'Reject selected']);
    expect([approve!.y, approve!.height]).toEqual([reject!.y, reject!.height]);
    expect(approve!.height).toBeLessThan(50);
  });
}

if (browserPath) describe('the dashboard on a phone', inBrowser);
else test.skip('the dashboard on a phone (skipped: Chromium and Chrome are not installed)', () => {});

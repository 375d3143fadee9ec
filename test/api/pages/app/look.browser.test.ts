import type { Browser, BrowserContext, Page } from 'playwright-core';
import { accessibilityProblems, browserPath, OVERFLOW, openBrowser } from '../../../support/browser.ts';
import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { anApproval, anApprovalOf } from '../page-bed.ts';
import { aPlan, CODE } from '../page-states.ts';
import { type AppMember, aMember, pageBed } from './app-bed.ts';

const HOSTILE = '<script>x</script>\u202Egnp.exe '.padEnd(180, 'w');

interface Ids {
  approval: string;
  plan: string;
  decided: string;
}

/** Screens by what they show. */
const LOOKS: Record<string, (owner: AppMember, ids: Ids) => string> = {
  Overview: () => '',
  'API keys': () => '/keys',
  'New API key': () => '/keys/new',
  Approvals: () => '/approvals',
  'An approval': (_, { approval }) => `/approvals/${approval}`,
  'A program': (_, { plan }) => `/approvals/${plan}`,
  'A decided approval': (_, { decided }) => `/approvals/${decided}`,
  'Approve several': (_, { approval }) => `/approvals/decide?decision=approve&id=${approval}`,
  Members: () => '/settings/members',
  'Invite a member': () => '/settings/members/new',
  'A member': ({ id }) => `/settings/members/${id}`,
  'Remove a member': ({ id }) => `/settings/members/${id}/remove`,
  'Your account': () => '/account',
  'Nothing here': () => '/nowhere',
};

function inBrowser(): void {
  let bed: ApiBed;
  let browser: Browser;
  let owner: AppMember;
  let ids: Ids;
  beforeAll(async () => {
    [bed, browser] = await Promise.all([openApiBed(), openBrowser()]);
    owner = await aMember(bed, 'owner', { name: 'Ada Lovelace' });
    await aMember(bed, 'viewer', { name: HOSTILE });
    const input = { method: 'POST', url: `https://example.com/${'long'.repeat(99)}`, note: HOSTILE };
    const [approval, decided] = [await anApprovalOf(pageBed(bed), input), await anApproval(pageBed(bed))];
    await owner.post(`/approvals/${decided.id}/decide`, { decision: 'approve', reason: HOSTILE });
    ids = { approval: approval.id, decided: decided.id, plan: (await aPlan(pageBed(bed), null, CODE)).id };
  });
  afterAll(async () => {
    await browser?.close();
    await bed?.close();
  });

  async function contextOf(member: AppMember | undefined, width: number): Promise<BrowserContext> {
    const context = await browser.newContext({ viewport: { width, height: 800 } });
    if (member) await context.addCookies([{ name: 'gateway', value: member.sessionToken, url: bed.apiUrl }]);
    return context;
  }

  /** Opens a page; console messages are collected, but for the browser's line about a 404. */
  async function open(context: BrowserContext, path: string): Promise<{ page: Page; complaints: string[] }> {
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (!message.text().includes('the server responded with a status of 4')) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${bed.apiUrl}/app${path}`);
    return { page, complaints };
  }

  test.each(Object.entries(LOOKS))(
    '%s: axe finds nothing, light and dark; it fits 360 pixels; the console is silent',
    async (name, path) => {
      for (const width of [360, 1280]) {
        const context = await contextOf(owner, width);
        const { page, complaints } = await open(context, path(owner, ids));
        expect(await accessibilityProblems(page)).toEqual([]);
        expect(await page.evaluate(OVERFLOW)).toBe(0);
        if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}.png`, fullPage: true });
        await page.emulateMedia({ colorScheme: 'dark' });
        expect(await accessibilityProblems(page)).toEqual([]);
        if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}-dark.png`, fullPage: true });
        expect(complaints).toEqual([]);
        await context.close();
      }
    },
  );
}

if (browserPath) describe('the dashboard in a real browser', inBrowser);
else test.skip('the dashboard in a real browser (skipped: neither Chromium nor Chrome is installed)', () => {});

import type { Browser, Page as BrowserPage } from 'playwright-core';
import { accessibilityProblems, browserPath, OVERFLOW, openBrowser } from '../../support/browser.ts';
import { sampled } from '../../support/extent.ts';
import { until } from '../../support/until.ts';
import { anApproval, anApprovalOf, linkOf, openPages, type PageBed } from './page-bed.ts';
import { CLOCK, GROUND, WEAKEST_CONTRAST } from './page-measures.ts';
import { aProgramWithHistory, STATES } from './page-states.ts';

if (browserPath) describe('in a real browser', inBrowser);
else test.skip('the approval page in a real browser (skipped: Chromium and Chrome are not installed)', () => {});

const INPUT = {
  url: 'https://api.example.com/orders',
  headers: { Authorization: 'Bearer abcdefghijkl' },
  lines: Array.from({ length: 4 }, (_, index) => ({
    sku: `A-${index}`,
    name: 'Analytical engine',
    quantity: index,
    price: 1200,
    currency: 'EUR',
  })),
  letter: 'A long sentence that goes on. '.repeat(100),
  word: 'unbreakable'.repeat(9),
};

function inBrowser(): void {
  let bed: PageBed;
  let browser: Browser;
  beforeAll(async () => {
    bed = await openPages();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await bed?.close();
  });

  const sooner = (id: string, interval: string) =>
    bed.gateway
      .db('approvals')
      .where({ id })
      .update({
        created_at: bed.gateway.db.raw('created_at - ?::interval', [interval]),
        expires_at: bed.gateway.db.raw('expires_at - ?::interval', [interval]),
      });

  const statusOf = async (id: string) => (await bed.gateway.db('approvals').where({ id }).first()).status;

  async function open(link: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserPage> {
    const context = await browser.newContext({ javaScriptEnabled: false, ...options });
    const page = await context.newPage();
    await page.goto(link);
    return page;
  }

  const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 360, height: 740 } };

  describe.each(Object.entries(SIZES))('%s', (_, viewport) => {
    test.each(['light', 'dark'] as const)('the page fits and its text has enough contrast, %s', async (colorScheme) => {
      const approval = await anApprovalOf(bed, INPUT);
      const page = await open(linkOf(bed, approval), { viewport, colorScheme });
      expect(await page.evaluate(OVERFLOW)).toBe(0);
      expect(await page.evaluate(WEAKEST_CONTRAST)).toBeGreaterThanOrEqual(4.5);
      expect(await page.getByRole('button', { name: 'Approve' }).isVisible()).toBe(true);
      await page.context().close();
    });
  });

  test.each(sampled(Object.keys(STATES), 4))(
    'axe finds no violation and nothing is cut off at 320 pixels, in light and dark mode: %s',
    async (name) => {
      const context = await browser.newContext({ viewport: { width: 320, height: 640 } });
      const page = await context.newPage();
      await page.goto(await STATES[name]!(bed));
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await page.evaluate(OVERFLOW)).toBe(0);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await accessibilityProblems(page, 'cat.color')).toEqual([]);
      expect(await page.evaluate(OVERFLOW)).toBe(0);
      await context.close();
    },
  );

  test('the remaining time counts down without a script', async () => {
    const approval = await anApproval(bed, { timeoutSeconds: 90_000 });
    await sooner(approval.id, '9 hours 57 minutes 10 seconds');
    const page = await open(linkOf(bed, approval), { javaScriptEnabled: true, bypassCSP: true });
    const [hours, minutes, seconds] = (await page.evaluate(CLOCK)) as number[];
    expect([hours, minutes]).toEqual([15, 2]);
    expect(seconds).toBeLessThanOrEqual(50);
    await page.waitForFunction(`${CLOCK}[2] < ${seconds}`);
    expect(await page.locator('.live').isVisible()).toBe(true);
    await page.context().close();
  });

  test.each(sampled(['no-preference', 'reduce'] as const, 1))(
    'when the approval expires, the page says so and removes its form: %s',
    async (reducedMotion) => {
      const approval = await anApproval(bed, { timeoutSeconds: 60 });
      // The page must load before the approval expires, even on a busy machine.
      await sooner(approval.id, '45 seconds');
      const page = await open(linkOf(bed, approval), { reducedMotion });
      await page.getByRole('button', { name: 'Approve' }).waitFor();
      await page.getByText('The time is up.').waitFor();
      expect(await page.getByText('Time is up', { exact: true }).isVisible()).toBe(true);
      expect(await page.getByRole('button').count()).toBe(0);
      expect(await page.getByText('Waiting for a decision', { exact: true }).isVisible()).toBe(false);
      await page.context().close();
    },
  );

  test('with reduced motion, the remaining time is text and the bar does not move', async () => {
    const page = await open(linkOf(bed, await anApproval(bed)), { reducedMotion: 'reduce' });
    expect(await page.getByText('59 minutes left when this page was loaded').isVisible()).toBe(true);
    expect(await page.locator('.live').isVisible()).toBe(false);
    expect(await page.locator('.bar .part').evaluate((part) => part.getAnimations().length)).toBe(0);
    await page.context().close();
  });

  test('in print, the code is unfolded and there are no buttons', async () => {
    const page = await open(linkOf(bed, await aProgramWithHistory(bed)));
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('button').count()).toBe(0);
    expect(await page.locator('.code').evaluate((code) => code.scrollHeight - code.clientHeight)).toBe(0);
    await page.context().close();
  });

  test('code scrolls sideways by keyboard; calls and code lines link to each other', async () => {
    const page = await open(linkOf(bed, await aProgramWithHistory(bed)), {
      viewport: SIZES.phone,
      javaScriptEnabled: true,
      bypassCSP: true,
    });
    const code = page.getByRole('region', { name: 'The program, 15 lines' });
    await code.focus();
    // A busy browser can lose a key press before the region is drawn.
    await until(async () => {
      await page.keyboard.press('ArrowRight');
      return code.evaluate((region) => region.scrollLeft > 0);
    });
    await page.getByRole('link', { name: 'needs approval: mail.send_email' }).click();
    expect(new URL(page.url()).hash).toBe('#call-2');
    await page.getByRole('link', { name: 'line 10', exact: true }).click();
    expect(new URL(page.url()).hash).toBe('#line-10');
    await page.context().close();
  });

  test('the two colour schemes differ', async () => {
    const link = linkOf(bed, await anApproval(bed));
    const grounds = await Promise.all(
      (['light', 'dark'] as const).map(async (colorScheme) => {
        const page = await open(link, { colorScheme });
        return page.evaluate(GROUND);
      }),
    );
    expect(new Set(grounds).size).toBe(2);
  });

  test('a reviewer can approve by keyboard alone, and then read what was recorded', async () => {
    const approval = await anApproval(bed);
    const page = await open(linkOf(bed, approval));
    const press = (...keys: string[]) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());

    await press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to your decision');
    await press('Enter', 'Tab');
    await page.keyboard.type('Checked with Ada.');
    await press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Approve');
    await Promise.all([page.waitForNavigation(), press('Space')]);

    expect(await statusOf(approval.id)).toBe('approved');
    expect(page.url()).toBe(linkOf(bed, approval));
    expect(await page.getByRole('region', { name: 'Approved' }).textContent()).toContain('Checked with Ada.');
    expect(await page.getByRole('button').count()).toBe(0);
  });

  test.each([
    ['Reject', 'rejected'],
    ['Withdraw', 'canceled'],
  ])('%s works by a tap; reloading the page does not send the form again', async (name, status) => {
    const approval = await anApproval(bed);
    const page = await open(linkOf(bed, approval), { viewport: SIZES.phone, hasTouch: true });
    await Promise.all([page.waitForNavigation(), page.getByRole('button', { name }).tap()]);
    expect(await statusOf(approval.id)).toBe(status);
    const methods: string[] = [];
    page.on('request', (request) => methods.push(request.method()));
    await page.reload();
    expect(methods).toEqual(['GET']);
  });

  test('a screen reader finds landmarks, headings, names and descriptions', async () => {
    const page = await open(linkOf(bed, await anApprovalOf(bed, INPUT, { endUserId: 'new' })));
    expect(await page.getByRole('main').count()).toBe(1);
    expect(await page.getByRole('banner').count()).toBe(1);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Send request');
    for (const name of ['Input', 'Why it needs a decision', 'About this request', 'Your decision']) {
      expect(await page.getByRole('region', { name, exact: true }).count()).toBe(1);
    }
    expect(await page.getByRole('textbox', { name: 'Reason (optional)' }).count()).toBe(1);
    expect(await page.getByRole('region', { name: 'letter, 3,000 characters', exact: true }).count()).toBe(1);
    expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(['sku', 'name', 'quantity', 'price', 'currency']);
    expect(await page.getByRole('button', { name: 'Reject' }).getAttribute('aria-describedby')).toBe('reject-hint');
  });

  test('the page loads no other resource and follows its content security policy', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const asked: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    const link = linkOf(bed, await anApprovalOf(bed, INPUT));
    await page.goto(link);
    expect(asked).toEqual([link]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('another site cannot frame the page or submit its form', async () => {
    const approval = await anApproval(bed);
    const link = linkOf(bed, approval);
    const { pathname, searchParams } = new URL(link);
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.route('http://evil.example/', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<iframe src="${link}"></iframe><form method="post" action="${bed.origin}${pathname}">
          <input name="token" value="${searchParams.get('token')}"><button name="decision" value="approve">Win</button></form>`,
      }),
    );
    await page.goto('http://evil.example/');
    expect(await page.frames().at(-1)!.content()).not.toContain('Your decision');
    await Promise.all([page.waitForNavigation(), page.getByRole('button').click()]);
    expect(await page.getByRole('heading').textContent()).toBe('This form came from another site');
    expect(await statusOf(approval.id)).toBe('pending');
    await context.close();
  });
}

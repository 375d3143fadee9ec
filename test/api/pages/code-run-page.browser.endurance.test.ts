import type { Browser } from 'playwright-core';
import { accessibilityProblems, browserPath, OVERFLOW, openBrowser } from '../../support/browser.ts';
import { sampled } from '../../support/extent.ts';
import { openPages, type PageBed } from './page-bed.ts';
import { RUN_STATES } from './run-states.ts';

if (browserPath) describe('the page of a code run in a real browser', inBrowser);
else test.skip('the page of a code run in a real browser (skipped: Chromium and Chrome are not installed)', () => {});

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

  test.each(sampled(['waiting', 'executed', 'failed', 'with an unknown outcome', 'over its retention'], 2))(
    'axe finds no violation and nothing is cut off on a phone, in light and dark mode: %s',
    async (name) => {
      const context = await browser.newContext({ viewport: { width: 320, height: 640 } });
      const page = await context.newPage();
      await page.goto(await RUN_STATES[name]!(bed));
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await page.evaluate(OVERFLOW)).toBe(0);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await accessibilityProblems(page, 'cat.color')).toEqual([]);
      expect(await page.evaluate(OVERFLOW)).toBe(0);
      await context.close();
    },
  );

  test('links between an approval and its run, and between calls and lines, work without scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.method()));
    const link = await RUN_STATES.executed!(bed);
    await page.goto(link.replace('/run?', '?'));
    await page.getByRole('link', { name: 'See what the program did so far' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'What the program did' }).waitFor();
    expect(page.url()).toBe(link);

    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to the status');
    const calls = page.getByRole('region', { name: 'Calls' });
    await calls.getByRole('link', { name: 'line 14' }).press('Enter');
    expect(new URL(page.url()).hash).toBe('#line-14');
    await page.getByRole('link', { name: 'succeeded: slack.send_channel_message' }).press('Enter');
    expect(new URL(page.url()).hash).toBe('#call-4');
    expect(await page.getByRole('main').count()).toBe(1);
    for (const name of ['Output', 'Logs', 'Approvals', 'The program', 'Plan before the run'])
      expect(await page.getByRole('region', { name, exact: true }).count()).toBe(1);

    await page.getByRole('link', { name: 'Back to the approval' }).press('Enter');
    await page.getByRole('link', { name: 'See what the program did so far' }).waitFor();
    expect(page.url()).toBe(link.replace('/run?', '?'));
    expect(new Set(asked)).toEqual(new Set(['GET']));
    await context.close();
  });

  test('the page loads no other resource and follows its content security policy', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const told: string[] = [];
    page.on('request', (request) => told.push(request.url()));
    page.on('console', (message) => told.push(message.text()));
    const link = await RUN_STATES.failed!(bed);
    await page.goto(link);
    expect(told).toEqual([link]);
    await context.close();
  });
}

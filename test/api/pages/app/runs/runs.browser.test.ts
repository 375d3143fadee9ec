import type { Browser, BrowserContext } from 'playwright-core';
import { accessibilityProblems, browserPath, OVERFLOW, openBrowser } from '../../../../support/browser.ts';
import { type ApiBed, openApiBed } from '../../../api-bed.ts';
import { type AppMember, aMember } from '../app-bed.ts';
import { aReplayableRun, aRunThatWaited } from './run-records.ts';

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

  async function contextOf(width: number): Promise<BrowserContext> {
    const context = await browser.newContext({ viewport: { width, height: 800 } });
    await context.addCookies([{ name: 'gateway', value: admin.sessionToken, url: bed.apiUrl }]);
    return context;
  }

  test.each([360, 1280])('the timeline of a run is drawn to scale at %s pixels', async (width) => {
    const { id } = await aRunThatWaited(bed);
    const context = await contextOf(width);
    const page = await context.newPage();
    await page.goto(`${bed.apiUrl}/app/runs`);
    await page.getByRole('table', { name: 'Code runs' }).getByRole('link', { name: id }).click();
    await page.getByRole('heading', { level: 1, name: 'Code run', exact: true }).waitFor();
    const figure = page.getByRole('figure', { name: 'Timeline', exact: true });
    const drawing = figure.getByRole('img', {
      name: /^Timeline\. 2 calls: 1 succeeded, 1 failed\. Ran 2\.40 s in 2 passes, waited 1 hour/,
    });
    const drawn = (await drawing.boundingBox())!;
    const boxes = await Promise.all(['good', 'wait', 'bad'].map((kind) => drawing.locator(`rect.${kind}`).first().boundingBox()));
    for (const box of boxes) {
      expect(box!.width).toBeGreaterThan(1);
      expect(box!.x + box!.width).toBeLessThanOrEqual(drawn.x + drawn.width + 1);
    }
    // The wait ends where the call's execution starts.
    expect(Math.abs(boxes[1]!.x + boxes[1]!.width - boxes[2]!.x)).toBeLessThan(2);
    await figure.getByText('Timeline, as a table').click();
    const row = figure.getByRole('row', { name: /2 mail\.send/ });
    expect(await row.getByRole('cell').allTextContents()).toEqual(['120 ms', '1 hour', '500 ms', 'failed']);
    for (const name of ['Calls', 'Logs', 'Output', 'Approvals', 'Program'])
      expect(await page.getByRole('region', { name, exact: true }).count()).toBe(1);
    await context.close();
  });

  test('a replay sends the text of the program editor', async () => {
    const context = await contextOf(1280);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    await page.goto(`${bed.apiUrl}/app/runs/${await aReplayableRun(bed)}/replay`);
    await page.getByRole('textbox', { name: 'Program', exact: true }).click();
    await page.locator('.cm-content').waitFor();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type("throw new Error('zq-typed')");
    expect(await page.locator('textarea[name="program"]').inputValue()).toBe("throw new Error('zq-typed')");
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByRole('region', { name: 'Result', exact: true }).getByText('zq-typed').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('by keyboard alone, a changed program can be replayed; its first difference is marked', async () => {
    const id = await aReplayableRun(bed);
    for (const width of [1280, 360]) {
      const context = await contextOf(width);
      const page = await context.newPage();
      await page.goto(`${bed.apiUrl}/app/runs/${id}`);
      await page.getByRole('link', { name: 'Replay', exact: true }).press('Enter');
      const program = page.getByRole('textbox', { name: 'Program', exact: true });
      await program.fill((await program.inputValue()).replace('send({ to })', "send({ to, subject: 'Reminder' })"));
      await page.locator('.cm-content').waitFor();
      // Escape and then Tab leave the editor.
      await page.keyboard.press('Escape');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      const result = page.getByRole('region', { name: 'Result', exact: true });
      await result.getByText('The first difference is call 2 mail.send, line 3: another input.').waitFor();
      expect(await result.getByText('First difference', { exact: true }).count()).toBe(1);
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await page.evaluate(OVERFLOW)).toBe(0);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/replay-${width}.png`, fullPage: true });
      await context.close();
    }
  });
}

if (browserPath) describe('code runs in a real browser', inBrowser);
else test.skip('code runs in a real browser (skipped: Chromium and Chrome are not installed)', () => {});

import type { Browser, Page } from 'playwright-core';
import { accessibilityProblems, browserPath, OVERFLOW, openBrowser } from '../../../../support/browser.ts';
import { openProgramBed, type ProgramBed } from './program-bed.ts';

function inBrowser(): void {
  let bed: ProgramBed;
  let browser: Browser;
  beforeAll(async () => {
    [bed, browser] = await Promise.all([openProgramBed(), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await bed?.close();
  });

  async function open(options: { width?: number; javaScriptEnabled?: boolean } = {}): Promise<{ page: Page; complaints: string[] }> {
    const { width = 1280, javaScriptEnabled = true } = options;
    const context = await browser.newContext({ viewport: { width, height: 800 }, javaScriptEnabled });
    await context.addCookies([{ name: 'gateway', value: bed.admin.sessionToken, url: bed.apiUrl }]);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${bed.apiUrl}/app/playground/program`);
    return { page, complaints };
  }

  /** Checks `complaints` before axe, whose style sheet causes console messages too. */
  async function looksGood({ page, complaints }: { page: Page; complaints: string[] }, name: string): Promise<void> {
    expect(complaints).toEqual([]);
    const { width } = page.viewportSize()!;
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityProblems(page)).toEqual([]);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}-${colorScheme}.png`, fullPage: true });
    }
    expect(await page.evaluate(OVERFLOW)).toBe(0);
    await page.emulateMedia({ colorScheme: 'light' });
    complaints.length = 0;
  }

  const program = (page: Page) => page.getByRole('textbox', { name: 'Program' });
  const result = (page: Page) => page.getByRole('region', { name: 'Result' });
  const editor = (page: Page) => page.locator('.cm-content');

  test('the editor completes aliases, actions and inputs; Escape and Tab leave it', async () => {
    const { page, complaints } = await open();
    await page.getByLabel('Program').click();
    await editor(page).waitFor();
    await editor(page).press('ControlOrMeta+a');
    await page.keyboard.type('return await svc.');
    await page.getByRole('option', { name: 'kv_store' }).waitFor();
    await page.keyboard.type('kv_store.');
    await page.getByRole('option', { name: 'put', exact: true }).waitFor();
    await page.keyboard.type('put({ ke');
    await page.getByRole('option', { name: 'key', exact: true }).waitFor();
    await looksGood({ page, complaints }, 'Editor');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Check');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test.each([1280, 360])('after the approval, a held program resumes without a click (page width: %i pixels)', async (width) => {
    const { page, complaints } = await open({ width });
    await program(page).fill(`await svc.kv_store.put({ key: "a-${width}", value: 1 }); return "kept ${width}";`);
    await page.getByRole('button', { name: 'Check' }).click();
    await result(page).getByText('It makes 1 call. 1 needs a yes.').waitFor();
    await looksGood({ page, complaints }, 'Checked');
    await page.getByRole('button', { name: 'Run program' }).click();
    const link = result(page).getByRole('link', { name: 'Decide it' });
    const id = (await link.getAttribute('href'))!.split('/').at(-1)!;
    await looksGood({ page, complaints }, 'Paused');
    await bed.admin.post(`/approvals/${id}/decide`, { decision: 'approve' });
    await result(page).getByText(`kept ${width}`).waitFor();
    await looksGood({ page, complaints }, 'Resumed');
    expect(
      await program(page)
        .inputValue()
        .catch(() => program(page).textContent()),
    ).toContain(`kept ${width}`);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('without scripts, a program in a text area can be checked, run and resumed', async () => {
    const { page } = await open({ javaScriptEnabled: false });
    await program(page).fill('return 6 * 7;');
    await page.getByRole('button', { name: 'Run program' }).click();
    await result(page).getByText('42').waitFor();

    await program(page).fill('await svc.kv_store.put({ key: "plain", value: 1 }); return "kept";');
    await page.getByRole('button', { name: 'Check' }).click();
    await result(page).getByText('It makes 1 call. 1 needs a yes.').waitFor();
    await page.getByRole('button', { name: 'Run program' }).click();
    const link = await result(page).getByRole('link', { name: 'Decide it' }).getAttribute('href');
    const other = await page.context().newPage();
    await other.goto(bed.apiUrl + link);
    await other.getByRole('button', { name: 'Approve', exact: true }).click();
    await other.getByRole('status').getByText('You approved the request.').waitFor();
    await result(page).getByRole('button', { name: 'Resume' }).click();
    await result(page).getByText('kept').waitFor();
    await page.context().close();
  });
}

if (browserPath) describe('programs in a real browser', inBrowser);
else test.skip('programs in a real browser (skipped: Chromium and Chrome are not installed)', () => {});

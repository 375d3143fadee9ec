import type { Browser, Page } from 'playwright-core';
import { accessibilityProblems, browserPath, OVERFLOW, openBrowser } from '../../../../support/browser.ts';
import { until } from '../../../../support/until.ts';
import { type MailBed, openMailBed } from '../../../actions/mail-bed.ts';
import { type AppMember, aMember } from '../app-bed.ts';

function inBrowser(): void {
  let bed: MailBed;
  let browser: Browser;
  let admin: AppMember;
  beforeAll(async () => {
    [bed, browser] = await Promise.all([openMailBed(), openBrowser()]);
    admin = await aMember(bed, 'admin', { name: 'Ada Lovelace' });
    await bed.connect('team@mail.example');
    await bed.api.must(200).post('/api/v1/approval-policies', {
      ...{ name: 'Ask before mail to strangers', sources: ['rest'], integrationNames: ['mail'], riskMode: 'rules' },
      ...{ decision: 'require_approval', rules: { recipientAllowlist: ['*@example.com'] } },
    });
  });
  afterAll(async () => {
    await browser?.close();
    await bed?.close();
  });

  async function open(path: string, width = 1280): Promise<Page> {
    const context = await browser.newContext({ viewport: { width, height: 800 } });
    await context.addCookies([{ name: 'gateway', value: admin.sessionToken, url: bed.apiUrl }]);
    const page = await context.newPage();
    await page.goto(`${bed.apiUrl}/app${path}`);
    return page;
  }

  async function looksGood(page: Page, name: string): Promise<void> {
    const { width } = page.viewportSize()!;
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityProblems(page)).toEqual([]);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}-${colorScheme}.png`, fullPage: true });
    }
    expect(await page.evaluate(OVERFLOW)).toBe(0);
    await page.emulateMedia({ colorScheme: 'light' });
  }

  test.each([1280, 360])('an action can be chosen, explained and run on a page %i pixels wide', async (width) => {
    const page = await open('/playground', width);
    await page.getByRole('main').getByRole('link', { name: 'Run an action' }).click();
    const main = page.getByRole('main');
    await expect(main.getByRole('heading', { level: 1 }).textContent()).resolves.toBe('Run an action');
    await main.getByLabel('Integration').selectOption('mail');
    await main.getByLabel('Action').selectOption('send');
    await main.getByRole('textbox', { name: 'To', exact: true }).fill(`eve-${width}@evil.example`);
    expect(new URL(page.url()).searchParams.get('action')).toBe('send');

    await main.getByRole('button', { name: 'What would happen' }).click();
    const said = page.getByRole('region', { name: 'What would happen' });
    await said.waitFor();
    expect(await said.textContent()).toMatch(/The call waits for a person.*team@mail\.example.*Ask before mail to strangers/s);
    await looksGood(page, 'What would happen');

    await main.getByRole('button', { name: 'Run' }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('The call waits for an approval.').waitFor();
    await looksGood(page, 'Waits');
    await main.getByRole('textbox', { name: 'To', exact: true }).fill('ann@example.com');
    await main.getByRole('button', { name: 'Run' }).click();
    await result.getByText('It ran').waitFor();
    expect(await page.getByRole('region', { name: 'As code' }).getByRole('textbox', { name: 'curl' }).inputValue()).toContain(
      'ann@example.com',
    );
    await looksGood(page, 'Ran');
    await page.context().close();
  });

  test('a choice resets the choices that depend on it, but keeps typed text', async () => {
    const page = await open(`/playground/action?workspace=${bed.workspaceId}`);
    const main = page.getByRole('main');
    const chosen = () => main.getByLabel('Action').inputValue();
    const waitForUrl = (part: string) => page.waitForURL((url) => url.search.includes(part));
    await main.getByLabel('Integration').selectOption('mail');
    await waitForUrl('integration=mail');
    await main.getByLabel('Action').selectOption('send');
    await waitForUrl('action=send');
    await main.getByRole('textbox', { name: 'To', exact: true }).fill('typed@example.com');
    await main.getByLabel('As person').first().selectOption('');
    await main.getByLabel('Integration').selectOption('hash-encode');
    await waitForUrl('integration=hash-encode');
    await until(async () => (await chosen()) === '');
    expect(await main.getByRole('region', { name: 'Input' }).count()).toBe(0);
    await main.getByLabel('Action').selectOption('hash');
    await waitForUrl('action=hash');
    await main.getByRole('textbox', { name: 'Text', exact: true }).fill('typed');
    await main.getByLabel('Action').selectOption('encode');
    await waitForUrl('action=encode');
    expect(await chosen()).toBe('encode');
    await until(async () => (await main.getByRole('textbox', { name: 'Text', exact: true }).inputValue()) === 'typed');
  });

  test('the page runs a held call after its approval, and reports a rejection', async () => {
    for (const [decision, words] of [
      ['approve', 'It ran'],
      ['reject', 'The request was rejected. Nothing was sent.'],
    ] as const) {
      const to = `${decision}@evil.example`;
      const page = await open(`/playground/action?workspace=${bed.workspaceId}&integration=mail&action=send`);
      const main = page.getByRole('main');
      await main.getByRole('textbox', { name: 'To', exact: true }).fill(to);
      await main.getByRole('button', { name: 'Run' }).click();
      const result = page.getByRole('region', { name: 'Result' });
      await result.getByRole('button', { name: 'Resume' }).waitFor();
      const href = await result.getByRole('link', { name: 'Decide it' }).getAttribute('href');
      const reviewer = await aMember(bed, 'owner');
      await reviewer.post(`${href!.slice('/app'.length)}/decide`, { decision, reason: '' });
      await result.getByText(words).waitFor();
      expect(await result.getByRole('button', { name: 'Resume' }).count()).toBe(0);
      expect(await main.getByRole('textbox', { name: 'To', exact: true }).inputValue()).toBe(to);
      const calls = await bed.gateway.db('calls').where({ status: 'succeeded' }).whereRaw('approval_id is not null');
      expect(calls).toHaveLength(1);
      await page.context().close();
    }
  });
}

if (browserPath) describe('the playground in a real browser', inBrowser);
else test.skip('the playground in a real browser (skipped: Chromium and Chrome are not installed)', () => {});

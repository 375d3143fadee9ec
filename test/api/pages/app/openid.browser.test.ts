import type { Browser } from 'playwright-core';
import { browserPath, lookProblems, openBrowser } from '../../../support/browser.ts';
import { aMember } from './app-bed.ts';
import { type OpenIdMembersBed, openOpenIdMembersBed } from './sign-in/openid-members-bed.ts';

if (browserPath) describe('in a real browser', inBrowser);
else test.skip('members sign in at an OpenID provider in a real browser (skipped: Chromium and Chrome are not installed)', () => {});

function inBrowser() {
  let bed: OpenIdMembersBed;
  let browser: Browser;
  beforeAll(async () => {
    [bed, browser] = await Promise.all([openOpenIdMembersBed(), openBrowser()]);
    await aMember(bed, 'owner', { email: 'ada@example.com' });
  }, 120_000);
  afterAll(() => Promise.all([bed?.close(), browser?.close()]));

  test.each([true, false])(
    'a member goes to the provider and returns signed in (scripts: %s)',
    async (javaScriptEnabled) => {
      bed.provider.sitDown({ sub: 'ada', email: 'ada@example.com', email_verified: true });
      const context = await browser.newContext({ viewport: { width: 360, height: 720 }, javaScriptEnabled });
      const page = await context.newPage();
      await page.goto(`${bed.apiUrl}/app/sign-in?next=/app/activity`);
      if (javaScriptEnabled) {
        expect(await lookProblems(page)).toEqual([]);
      }
      await page.getByRole('button', { name: 'Sign in with' }).click();
      // Without scripts, the page after the provider waits for a click.
      if (!javaScriptEnabled) {
        await page.getByRole('heading', { name: 'Back from' }).waitFor();
        await page.getByRole('button', { name: 'Continue' }).click();
      }
      await page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/app/activity');
      await context.close();
    },
    120_000,
  );
}

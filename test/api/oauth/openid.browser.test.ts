import type { Browser } from 'playwright-core';
import { browserPath, lookProblems, openBrowser } from '../../support/browser.ts';
import { aClient, anAuthorization, aPerson, aServer, REDIRECT_URI } from './oauth-bed.ts';
import { ADA, type OpenIdBed, openOpenIdBed } from './openid-bed.ts';

if (browserPath) describe('in a real browser', inBrowser);
else test.skip('sign-in at an OpenID provider in a real browser (skipped: Chromium and Chrome are not installed)', () => {});

function inBrowser() {
  let bed: OpenIdBed;
  let browser: Browser;
  beforeAll(async () => {
    [bed, browser] = await Promise.all([openOpenIdBed(), openBrowser()]);
    await aPerson(bed, 'ada@example.com');
  }, 120_000);
  afterAll(() => Promise.all([bed?.close(), browser?.close()]));

  test.each([true, false])(
    'a person goes from the client to the provider and back (scripts: %s)',
    async (javaScriptEnabled) => {
      const [server, { client_id }] = await Promise.all([aServer(bed), aClient(bed)]);
      bed.provider.sitDown(ADA);
      const context = await browser.newContext({ viewport: { width: 375, height: 720 }, javaScriptEnabled });
      const page = await context.newPage();
      await page.route(`${REDIRECT_URI}**`, (route) => route.fulfill({ body: 'back in the client' }));
      const signIn = async () => {
        await page.goto(anAuthorization(bed, client_id, server.mcpEndpoint).url);
        await page.getByRole('button', { name: 'Sign in with' }).click();
        if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue' }).click();
      };
      await page.goto(anAuthorization(bed, client_id, server.mcpEndpoint).url);
      if (javaScriptEnabled) {
        expect(await lookProblems(page)).toEqual([]);
      }
      await signIn();
      await page.getByRole('heading', { name: 'Allow Desk agent?' }).waitFor();
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByText('back in the client').waitFor();
      // The provider's session and the consent are stored, so no page asks the person again.
      await bed.gateway.db('sign_in_sessions').delete();
      await signIn();
      await page.getByText('back in the client').waitFor();
      await context.close();
    },
    120_000,
  );
}

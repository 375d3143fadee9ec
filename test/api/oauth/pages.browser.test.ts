import type { Browser, Page } from 'playwright-core';
import { browserPath, lookProblems, openBrowser } from '../../support/browser.ts';
import { readMail } from '../../support/mailbox.ts';
import {
  aClient,
  anAuthorization,
  aPerson,
  aServer,
  callServer,
  type OAuthBed,
  openOAuthBed,
  postForm,
  REDIRECT_URI,
} from './oauth-bed.ts';

if (browserPath) describe('in a real browser', inBrowser);
else test.skip('sign-in and consent in a real browser (skipped: Chromium and Chrome are not installed)', () => {});

function inBrowser() {
  let bed: OAuthBed;
  let browser: Browser;
  beforeAll(async () => {
    [bed, browser] = await Promise.all([openOAuthBed(), openBrowser()]);
  }, 120_000);
  afterAll(() => Promise.all([bed?.close(), browser?.close()]));

  async function look(page: Page): Promise<void> {
    expect(await lookProblems(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 720 });
  }

  test('a person signs in by mail, consents, and later revokes the client’s token', async () => {
    const [server, { client_id }] = await Promise.all([aServer(bed), aClient(bed), aPerson(bed, 'ada@example.com')]);
    const context = await browser.newContext({ viewport: { width: 375, height: 720 }, javaScriptEnabled: true });
    const page = await context.newPage();
    const callback = new Promise<URL>((resolve) => {
      page.route(`${REDIRECT_URI}**`, (route) => {
        resolve(new URL(route.request().url()));
        return route.fulfill({ body: 'back in the client' });
      });
    });
    const { url, verifier } = anAuthorization(bed, client_id, server.mcpEndpoint);
    await page.goto(url);
    await look(page);
    await page.getByLabel('E-mail address').fill('ada@example.com');
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
    await look(page);
    const { raw } = bed.mailbox.mails.findLast(({ to }) => to.includes('ada@example.com'))!;
    await page.getByLabel('Code').fill(/\d{6}/.exec(readMail(raw).text)![0]);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Allow Desk agent?' }).waitFor();
    await look(page);
    await page.getByRole('button', { name: 'Allow' }).click();
    const code = (await callback).searchParams.get('code')!;
    await page.getByText('back in the client').waitFor();
    const exchange = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, client_id, code_verifier: verifier };
    const { body } = await postForm(bed, '/oauth/token', exchange);
    expect((await callServer(server, body.access_token)).status).toBe(200);

    await page.goto(`${bed.apiUrl}/account`);
    await look(page);
    await page.getByRole('button', { name: 'Revoke Desk agent' }).click();
    await page.getByRole('status').getByText('The client has no access any more.').waitFor();
    expect((await callServer(server, body.access_token)).status).toBe(401);
    await context.close();
  }, 120_000);

  test('a person who has already allowed the client returns to the client directly after the sign-in', async () => {
    const [server, { client_id }] = await Promise.all([aServer(bed), aClient(bed), aPerson(bed, 'eve@example.com')]);
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.route(`${REDIRECT_URI}**`, (route) => route.fulfill({ body: 'back in the client' }));
    const signIn = async () => {
      await page.goto(anAuthorization(bed, client_id, server.mcpEndpoint).url);
      await page.getByLabel('E-mail address').fill('eve@example.com');
      await page.getByRole('button', { name: 'Send code' }).click();
      await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
      const { raw } = bed.mailbox.mails.findLast(({ to }) => to.includes('eve@example.com'))!;
      await page.getByLabel('Code').fill(/\d{6}/.exec(readMail(raw).text)![0]);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    await signIn();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('back in the client').waitFor();
    await bed.gateway.db('sign_in_sessions').delete();
    await signIn();
    await page.getByText('back in the client').waitFor();
    await context.close();
  }, 120_000);
}

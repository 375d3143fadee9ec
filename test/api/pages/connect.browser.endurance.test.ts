import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { accessibilityProblems, browserPath, lookProblems, OVERFLOW, openBrowser } from '../../support/browser.ts';
import { sampled } from '../../support/extent.ts';
import { aReceiver } from '../../support/receiver.ts';
import {
  anInstance,
  anOauthApp,
  aPortal,
  aSession,
  type ConnectBed,
  credentialsOf,
  openConnectBed,
  outcomeOf,
} from '../connect/connect-bed.ts';

const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 360, height: 740 } };

if (browserPath) describe('hosted connect in a real browser', inBrowser);
else test.skip('hosted connect in a real browser (skipped: Chromium and Chrome are not installed)', () => {});

function inBrowser(): void {
  let bed: ConnectBed;
  let browser: Browser;
  beforeAll(async () => {
    [bed, browser] = await Promise.all([openConnectBed(), openBrowser()]);
    await anOauthApp(bed);
    await anInstance(bed, 'mail');
    await anInstance(bed, 'cloud');
    await anInstance(bed, 'shop', { displayName: `A shop with a long name ${'x'.repeat(60)}` });
  });
  afterAll(async () => {
    await browser?.close();
    await bed?.close();
  });

  async function open(link: string, options: BrowserContextOptions = {}): Promise<{ page: Page; complaints: string[] }> {
    const page = await (await browser.newContext(options)).newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(link);
    return { page, complaints };
  }

  async function aWaitingApproval(endUserId: string): Promise<void> {
    const policy = { name: endUserId, workspaceId: bed.workspaceId, integrationNames: ['clock'], approvers: [{ type: 'end_user' }] };
    const { id } = (await bed.api.must(200).post('/api/v1/approval-policies', policy)).policy;
    const call = { integrationName: 'clock', actionName: 'read', workspaceId: bed.workspaceId, endUserId };
    await bed.api.must(202).post('/api/v1/actions/execute', call);
    await bed.api.must(200).delete(`/api/v1/approval-policies/${id}`);
  }

  const press = async (page: Page, ...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };

  const LOOKS = Object.entries(SIZES).flatMap(([name, viewport]) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ name, viewport, colorScheme })),
  );
  describe.each(sampled(LOOKS, 1))('$name', ({ viewport, colorScheme }) => {
    test(`every page fits and is accessible, ${colorScheme}`, async () => {
      const portal = await aPortal(bed, `looks-${viewport.width}-${colorScheme}`);
      await aWaitingApproval(`looks-${viewport.width}-${colorScheme}`);
      const shop = await aSession(bed, { integrationName: 'shop' });
      const cloud = await aSession(bed, { integrationName: 'cloud' });
      await anOauthApp(bed, 'vault');
      const vault = await aSession(bed, { integrationName: 'vault' });
      await bed.gateway.db('oauth_apps').where({ integration_name: 'vault' }).delete();
      const done = await aSession(bed, { externalId: `looks-${viewport.width}-${colorScheme}` });
      const { page } = await open(done.connectUrl, { viewport, colorScheme });
      const problems: Record<string, unknown> = {};
      const look = async (name: string) => {
        const found = await accessibilityProblems(page);
        if ((await page.evaluate(OVERFLOW)) !== 0) found.push('wider than the window');
        if (!(await page.evaluate(STARTS_WITH_HEADING))) found.push('something stands above its heading');
        if (found.length > 0) problems[name] = found;
      };
      await page.getByRole('textbox', { name: 'API token' }).fill('zq-token');
      await page.getByRole('button', { name: 'Connect Mail' }).click();
      await look('connected');
      for (const link of [shop.connectUrl, cloud.connectUrl, vault.connectUrl, portal.connectUrl]) {
        await page.goto(link);
        await look(link);
      }
      await page.getByRole('link', { name: /Connect A shop/ }).click();
      await page.getByRole('textbox', { name: 'Domain' }).fill('x'.repeat(31));
      await page.getByRole('textbox', { name: 'Api key' }).fill('zq-key');
      await page.getByRole('button', { name: /Connect A shop/ }).click();
      await page.getByText('Domain is too long').waitFor();
      await look('an attempt that failed');
      await page.goto(`${bed.apiUrl}/connect?token=nothing`);
      await look('no such link');
      expect(problems).toEqual({});
      await page.context().close();
    });
  });

  test('an account can be connected by keyboard alone, without scripts', async () => {
    const { connectUrl, token } = await aSession(bed, { integrationName: 'ledger' });
    const { page, complaints } = await open(connectUrl, { javaScriptEnabled: false });
    await press(page, 'Tab');
    await page.keyboard.type('ada');
    await press(page, 'Tab');
    await page.keyboard.type('pass word');
    await Promise.all([page.waitForNavigation(), press(page, 'Enter')]);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Ledger is connected');
    expect(await credentialsOf(bed, (await outcomeOf(bed, token)).connectionId)).toMatchObject({ username: 'ada', password: 'pass word' });
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('the browser requires a field that is left empty, and sends nothing', async () => {
    const { connectUrl, token } = await aSession(bed);
    const { page } = await open(connectUrl);
    await page.getByRole('button', { name: 'Connect Mail' }).click();
    expect(await page.evaluate('document.activeElement.name')).toBe('field.secretText');
    expect(await outcomeOf(bed, token)).toMatchObject({ status: 'PENDING' });
    await page.context().close();
  });

  test.each([
    ['with scripts', true],
    ['without scripts', false],
  ])('consent leads to the third party and back to the caller, %s', async (_, javaScriptEnabled) => {
    const caller = await aReceiver();
    const successRedirectUri = `${caller.url}/done`;
    const { connectUrl, token } = await aSession(bed, {
      integrationName: 'cloud',
      externalId: `c-${javaScriptEnabled}`,
      successRedirectUri,
    });
    const { page, complaints } = await open(connectUrl, { javaScriptEnabled });
    await page.getByRole('button', { name: 'Continue to Cloud' }).click();
    await page.getByRole('link', { name: 'allow' }).click();
    if (!javaScriptEnabled) await page.getByRole('button', { name: 'Finish connecting' }).click();
    await page.waitForURL(/\/done/);
    const outcome = await outcomeOf(bed, token);
    expect(outcome.status).toBe('COMPLETED');
    expect(page.url()).toBe(`${successRedirectUri}?status=success&connectionId=${outcome.connectionId}`);
    const [arrival] = await caller.has(1);
    expect(arrival!.headers.referer).toBeUndefined();
    expect(complaints.filter((text) => /policy|refused/i.test(text))).toEqual([]);
    await page.context().close();
    await caller.close();
  });

  test('the callback page is accessible if no script submits its form', async () => {
    const { connectUrl } = await aSession(bed, { integrationName: 'cloud', externalId: 'callback' });
    const { page } = await open(connectUrl, { viewport: SIZES.phone });
    await page.getByRole('button', { name: 'Continue to Cloud' }).click();
    const consent = new URL(page.url());
    const back = await bed.provider.consent(consent.href);
    const html = (await (await fetch(back)).text()).replace(/<script>.*<\/script>/s, '');
    await page.setContent(html);
    expect(await lookProblems(page)).toEqual([]);
    expect(await page.getByRole('button').allInnerTexts()).toEqual(['Finish connecting']);
    await page.context().close();
  });

  test('an end user can connect and disconnect in the portal, by keyboard and on a phone', async () => {
    const { connectUrl } = await aPortal(bed, 'by-keyboard');
    const { page, complaints } = await open(connectUrl, { viewport: SIZES.phone, javaScriptEnabled: false });
    const connections = async () => (await bed.api.must(200).get('/api/v1/connections?endUserId=by-keyboard')).total;

    await press(page, 'Tab');
    expect(await page.locator(':focus').innerText()).toMatch(/^Connect\s+Mail$/);
    await Promise.all([page.waitForNavigation(), press(page, 'Enter')]);
    await press(page, 'Tab', 'Tab');
    await page.keyboard.type('zq-token');
    await press(page, 'Tab');
    await Promise.all([page.waitForNavigation(), press(page, 'Space')]);
    expect(await page.getByRole('status').textContent()).toBe('Mail is connected now.');
    expect(await connections()).toBe(1);

    await press(page, 'Tab', 'Tab');
    expect(await page.locator(':focus').innerText()).toMatch(/^Disconnect\s+Mail$/);
    await Promise.all([page.waitForNavigation(), press(page, 'Enter')]);
    expect(await page.getByRole('status').textContent()).toBe('Mail is disconnected now.');
    expect(await connections()).toBe(0);

    const methods: string[] = [];
    page.on('request', (request) => methods.push(request.method()));
    await page.reload();
    expect(methods).toEqual(['GET']);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('consent through the portal returns to the portal', async () => {
    const { connectUrl } = await aPortal(bed, 'consenting');
    const { page } = await open(connectUrl);
    await page.getByRole('link', { name: 'Connect Cloud' }).click();
    await page.getByRole('button', { name: 'Continue to Cloud' }).click();
    await page.getByRole('link', { name: 'deny' }).click();
    expect(await page.getByRole('status').textContent()).toBe('Access to Cloud was declined.');
    await page.getByRole('link', { name: 'Connect Cloud' }).click();
    await page.getByRole('button', { name: 'Continue to Cloud' }).click();
    await page.getByRole('link', { name: 'allow' }).click();
    await page.getByText('Cloud is connected now.').waitFor();
    expect(await page.getByRole('button', { name: 'Disconnect Cloud' }).count()).toBe(1);
    await page.context().close();
  });

  test('another site cannot frame the pages or submit their forms', async () => {
    const { connectUrl, token } = await aSession(bed, { externalId: 'framed' });
    const page = await (await browser.newContext()).newPage();
    await page.route('http://evil.example/', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<iframe src="${connectUrl}"></iframe><form method="post" action="${bed.apiUrl}/connect">
          <input name="token" value="${token}"><input name="method" value="token"><input name="field.secretText" value="mine">
          <button>Win</button></form>`,
      }),
    );
    await page.goto('http://evil.example/');
    expect(await page.frames().at(-1)!.content()).not.toContain('API token');
    await Promise.all([page.waitForNavigation(), page.getByRole('button').click()]);
    expect(await page.getByRole('heading').textContent()).toBe('This form came from another site');
    expect(await outcomeOf(bed, token)).toMatchObject({ status: 'PENDING' });
    await page.context().close();
  });
}

const STARTS_WITH_HEADING = `(() => {
  const top = (element) => element.getBoundingClientRect().top;
  return [...document.querySelectorAll('main h2, main form')].every((element) => top(element) > top(document.querySelector('h1')));
})()`;

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { browserPath, openBrowser } from '../../support/browser.ts';
import { anInstance, anOauthApp, aPortal, aSession, type ConnectBed, openConnectBed } from '../connect/connect-bed.ts';

if (browserPath) describe('a connect page as a popup of a page of another origin', inBrowser);
else test.skip('a connect page as a popup (skipped: Chromium and Chrome are not installed)', () => {});

interface Message {
  origin: string;
  data: { type: string; status: string; connectionId: string | null };
}

function inBrowser() {
  let bed: ConnectBed;
  let browser: Browser;
  let app: Server;
  let appUrl: string;
  beforeAll(async () => {
    app = createServer((_, response) => void response.setHeader('content-type', 'text/html').end('<title>An app</title>')).listen(
      0,
      '127.0.0.1',
    );
    await once(app, 'listening');
    appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
    [bed, browser] = await Promise.all([openConnectBed(), openBrowser()]);
    await anOauthApp(bed);
  });
  afterAll(async () => {
    await browser?.close();
    app?.closeAllConnections();
    app?.close();
    await bed?.close();
  });
  afterEach(() => {
    bed.gateway.config.corsOrigins = [];
  });

  async function openPopup(url: string) {
    const context = await browser.newContext();
    const opener = await context.newPage();
    await opener.goto(appUrl);
    await opener.evaluate('window.got = []; addEventListener("message", ({ origin, data }) => window.got.push({ origin, data }))');
    const [popup] = await Promise.all([opener.waitForEvent('popup'), opener.evaluate(`void window.open(${JSON.stringify(url)})`)]);
    const messages = async () => (await opener.evaluate('window.got')) as Message[];
    const next = async () => {
      await opener.waitForFunction('window.got.length > 0');
      return (await messages())[0]!;
    };
    return { popup, messages, next, close: () => context.close() };
  }

  const allow = async (popup: Page) => {
    await popup.getByRole('button', { name: 'Continue to Cloud' }).click();
    await popup.getByRole('link', { name: 'allow' }).click();
  };

  test('the popup sends a message to an opener of the redirect’s origin, then follows the redirect', async () => {
    const session = { integrationName: 'cloud', externalId: 'c-1', successRedirectUri: `${appUrl}/done` };
    const { connectUrl } = await aSession(bed, session);
    const { popup, next, close } = await openPopup(connectUrl);
    await allow(popup);
    const { origin, data } = await next();
    expect([origin, data]).toEqual([
      bed.apiUrl,
      {
        ...{ type: 'gateway-connect-result', status: 'COMPLETED', connectionId: expect.any(String) },
        ...{ integrationName: 'cloud', externalId: 'c-1', error: null },
      },
    ]);
    await popup.waitForURL(`${appUrl}/done?status=success&connectionId=${data.connectionId}`);
    await close();
  });

  test('entering a secret also sends a message; a failure is reported with its reason', async () => {
    const { connectUrl } = await aSession(bed, { externalId: 'm-1', successRedirectUri: `${appUrl}/done` });
    const one = await openPopup(connectUrl);
    await one.popup.getByRole('textbox', { name: 'API token' }).fill('zq-token');
    await one.popup.getByRole('button', { name: 'Connect Mail' }).click();
    expect((await one.next()).data).toMatchObject({ status: 'COMPLETED', integrationName: 'mail', externalId: 'm-1' });
    await one.close();

    const other = await aSession(bed, { integrationName: 'cloud', externalId: 'c-2', errorRedirectUri: `${appUrl}/sorry` });
    const two = await openPopup(other.connectUrl);
    await two.popup.getByRole('button', { name: 'Continue to Cloud' }).click();
    await two.popup.getByRole('link', { name: 'deny' }).click();
    const failed = { status: 'FAILED', connectionId: null, externalId: 'c-2', error: expect.stringContaining('declined') };
    expect((await two.next()).data).toMatchObject(failed);
    await two.close();
  });

  test('the portal sends messages to openers in CORS_ORIGINS', async () => {
    await anInstance(bed, 'mail');
    const { connectUrl } = await aPortal(bed, 'ada');
    bed.gateway.config.corsOrigins = ['*', appUrl];
    const { popup, next, close } = await openPopup(connectUrl);
    await popup.getByRole('link', { name: 'Connect Mail' }).click();
    await popup.getByRole('textbox', { name: 'API token' }).fill('zq-token');
    await popup.getByRole('button', { name: 'Connect Mail' }).click();
    expect((await next()).data).toMatchObject({ status: 'COMPLETED', integrationName: 'mail', error: null });
    await close();
  });

  test('an opener of another origin gets no message, even with CORS_ORIGINS *', async () => {
    const elsewhere = { successRedirectUri: 'https://app.example.com/done' };
    bed.gateway.config.corsOrigins = ['*', 'https://other.example.com'];
    const { connectUrl } = await aSession(bed, { integrationName: 'cloud', externalId: 'c-3', ...elsewhere });
    const { popup, messages, close } = await openPopup(connectUrl);
    await popup.route('https://app.example.com/**', (route) => route.fulfill({ body: 'done' }));
    await allow(popup);
    await popup.waitForURL(/app\.example\.com\/done/);
    expect(await messages()).toEqual([]);
    await close();
  });
}

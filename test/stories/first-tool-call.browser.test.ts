import type { Browser, Page } from 'playwright-core';
import { type AccountSite, anAccountSite } from '../api/connect/account-site.ts';
import { importTasks, tasksAt } from '../api/integrations/own/own-bed.ts';
import { aPerson, aServer, type OAuthBed, openOAuthBed } from '../api/oauth/oauth-bed.ts';
import { accessibilityProblems, browserPath, OVERFLOW, openBrowser } from '../support/browser.ts';
import { readMail } from '../support/mailbox.ts';
import { aBrowserHost } from '../support/mcp/browser-host.ts';

if (browserPath) describe('a user who has only the address of an MCP server', inBrowser);
else test.skip('the first tool call in a real browser (skipped: no Chromium or Chrome is installed)', () => {});

const EMAIL = 'ada@example.com';
const TASK = { title: 'Order 40 chairs' };

function inBrowser() {
  let bed: OAuthBed;
  let browser: Browser;
  let site: AccountSite;
  beforeAll(async () => {
    [bed, browser, site] = await Promise.all([openOAuthBed(), openBrowser(), anAccountSite()]);
    await offerTasks(bed, site);
  }, 120_000);
  afterAll(() => Promise.all([bed?.close(), browser?.close(), site?.close()]));

  const opened: { close(): Promise<unknown> }[] = [];
  afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())));

  test.each([
    ['on a phone, in the dark', { viewport: { width: 360, height: 720 }, colorScheme: 'dark' as const }],
    ['on a wide screen', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' as const }],
  ])(
    'makes an approved tool call and then revokes all access, %s',
    async (_, look) => {
      const context = await browser.newContext(look);
      const page = await context.newPage();
      const { mcpEndpoint } = await aServer(bed, { name: 'Team tasks' });
      const host = await aBrowserHost(mcpEndpoint, (url) => void page.goto(url).catch(() => {}));
      opened.push(host, context);

      await Promise.all([host.connect(), signInAndAllow(page)]);

      const unconnected = await host.call('tasks__create_task', TASK);
      expect(textOf(unconnected)).toContain('CONNECTION_REQUIRED');
      await connect(page, /https?:\S+/.exec(textOf(unconnected))![0]);

      const gated = await host.call('tasks__create_task', TASK);
      expect(gated.structuredContent).toMatchObject({ status: 'approval_required' });
      const made = site.tasks.length;
      await approve(page, (gated.structuredContent as { approval: { hostedApprovalUrl: string } }).approval.hostedApprovalUrl);
      expect(site.tasks).toHaveLength(made);
      site.endAccess();
      await bed.patient('connections').update({ expires_at: new Date(0) });
      const refreshed = site.refreshed;
      expect((await host.call('tasks__create_task', TASK)).structuredContent).toEqual({ id: `t${made + 1}`, ...TASK });
      expect([site.tasks.at(-1), site.refreshed]).toEqual([TASK.title, refreshed + 1]);

      await page.goto(`${bed.apiUrl}/account`);
      await check(page);
      await page.getByRole('button', { name: 'Disconnect Tasks' }).click();
      await page.getByText('No account is connected.').waitFor();
      expect(textOf(await host.call('tasks__create_task', TASK))).toContain('CONNECTION_REQUIRED');
      await page.getByRole('button', { name: 'Revoke Desk agent' }).click();
      await page.getByText('No client has access.').waitFor();
      await check(page);
      await expect(host.call('tasks__create_task', TASK)).rejects.toThrow('Unauthorized');
      await page.getByRole('heading', { name: 'Allow Desk agent?' }).waitFor();
      expect(site.tasks).toHaveLength(made + 1);
    },
    300_000,
  );

  async function signInAndAllow(page: Page): Promise<void> {
    await page.getByLabel('E-mail address').fill(EMAIL);
    await check(page);
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
    await check(page);
    await page.getByLabel('Code').fill(/\d{6}/.exec(readMail(bed.mailbox.mails.at(-1)!.raw).text)![0]);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Allow Desk agent?' }).waitFor();
    await check(page);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'You can close this window.' }).waitFor();
  }

  async function connect(page: Page, url: string): Promise<void> {
    await page.goto(url);
    await check(page);
    await page.getByRole('link', { name: 'Connect Tasks' }).click();
    await page.getByRole('heading', { name: 'Connect Tasks' }).waitFor();
    await check(page);
    await page.getByRole('button', { name: 'Continue to Tasks' }).click();
    await page.getByLabel('E-mail').fill(site.person.email);
    await page.getByLabel('Password').fill(site.person.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Agree' }).click();
    await page.getByRole('status').getByText('Tasks is connected now.').waitFor();
    await check(page);
  }

  async function approve(page: Page, url: string): Promise<void> {
    await page.goto(url);
    await page.getByText(TASK.title).waitFor();
    await check(page);
    const button = page.getByRole('button', { name: 'Approve' });
    const { width, height } = page.viewportSize()!;
    const box = (await button.boundingBox())!;
    // On a phone, the button is visible without scrolling, with its text on one line.
    if (width < 860) expect([box.y + box.height <= height, box.height]).toEqual([true, 46]);
    await button.click();
    await page.getByRole('heading', { name: 'Approved' }).waitFor();
    await check(page);
  }
}

async function offerTasks({ api, apiUrl, workspaceId }: OAuthBed, site: AccountSite): Promise<void> {
  const oauth2 = { authorizationUrl: `${site.url}/authorize`, tokenUrl: `${site.url}/token`, scopes: ['tasks'], issuer: site.url };
  const auth = [{ key: 'oauth', type: 'OAUTH2', displayName: 'Sign in', authenticate: 'bearer', oauth2 }];
  const { integration } = await importTasks({ api }, 'tasks', tasksAt(site.url, { auth }));
  site.redirectUris.add(`${apiUrl}/connect/callback/${integration.id}`);
  const make = api.must(201);
  await make.post('/api/v1/oauth-apps', { integrationName: 'tasks', ...site.client });
  await make.post(`/api/v1/workspaces/${workspaceId}/integrations`, { integrationName: 'tasks', connectionStrategy: 'per_user' });
  await aPerson({ api, workspaceId }, EMAIL);
  const policy = { name: 'New tasks', decision: 'require_approval', integrationNames: ['tasks'], actionNames: ['create_task'] };
  await api.must(200).post('/api/v1/approval-policies', policy);
}

async function check(page: Page): Promise<void> {
  expect(await page.evaluate(OVERFLOW)).toBeLessThanOrEqual(0);
  expect(await accessibilityProblems(page)).toEqual([]);
}

const textOf = ({ content }: { content: unknown[] }) => (content[0] as { text: string }).text;

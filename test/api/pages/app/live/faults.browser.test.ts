import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { browserPath, openBrowser } from '../../../../support/browser.ts';
import { type ApiBed, openApiBed } from '../../../api-bed.ts';
import { anApproval } from '../../page-bed.ts';
import { type AppMember, aMember, pageBed } from '../app-bed.ts';

function inBrowser(): void {
  let bed: ApiBed;
  let browser: Browser;
  let context: BrowserContext;
  let member: AppMember;
  beforeAll(async () => {
    [bed, browser] = await Promise.all([openApiBed(), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await bed?.close();
  });
  beforeEach(async () => {
    member = await aMember(bed, 'member');
    context = await browser.newContext();
    await signIn(member);
  });
  afterEach(() => context.close());

  const ask = () => anApproval(pageBed(bed));
  const signIn = ({ sessionToken }: AppMember) => context.addCookies([{ name: 'gateway', value: sessionToken, url: bed.apiUrl }]);
  const said = (alert: Locator) => alert.getByText('Not sent. Check the connection and try again.', { exact: true });
  const mayHaveArrived = { hasText: 'The form may still have arrived. Check before you send it again.' };
  const notSent = (page: Page) => said(page.getByRole('alert').filter({ hasNotText: mayHaveArrived.hasText }));
  const noAnswer = (page: Page) => said(page.getByRole('alert').filter(mayHaveArrived));
  async function openApproval(id: string): Promise<Page> {
    const page = await context.newPage();
    await page.goto(`${bed.apiUrl}/app/approvals/${id}`);
    await page.getByLabel('Reason (optional)').fill('as agreed');
    return page;
  }

  test('without a connection, a form keeps its values and can be sent later', async () => {
    const { id } = await ask();
    const page = await openApproval(id);
    await context.setOffline(true);
    await page.waitForFunction('!navigator.onLine');
    await page.getByRole('button', { name: 'Reject' }).click();
    await notSent(page).waitFor();
    expect(await page.getByLabel('Reason (optional)').inputValue()).toBe('as agreed');
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByText('You rejected the request.').waitFor();
    expect((await bed.gateway.db('approvals').where({ id }).first()).decision_reason).toBe('as agreed');
  });

  test('a form keeps its values if a request is lost or a proxy answers with an error', async () => {
    const { id } = await ask();
    const page = await openApproval(id);
    await page.route('**/decide', (route) => route.abort());
    await page.getByRole('button', { name: 'Approve' }).click();
    await noAnswer(page).waitFor();
    await page.unroute('**/decide');
    await page.route('**/decide', (route) => route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }));
    const answered = page.waitForResponse('**/decide');
    await page.getByRole('button', { name: 'Approve' }).click();
    await answered;
    await noAnswer(page).waitFor();
    expect(await page.getByLabel('Reason (optional)').inputValue()).toBe('as agreed');
    await page.unroute('**/decide');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('You approved the request.').waitFor();
    expect((await bed.gateway.db('approvals').where({ id }).first()).decision_reason).toBe('as agreed');
  });

  test('if the answer to a form is lost, the page says that the form may have arrived', async () => {
    await signIn(await aMember(bed, 'owner'));
    const page = await context.newPage();
    await page.goto(`${bed.apiUrl}/app/keys/new`);
    await page.getByLabel('Name').fill('Unheard');
    await page.route('**/keys/new', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Create key' }).click();
    await noAnswer(page).waitFor();
    expect(await bed.gateway.db('api_keys').where({ name: 'Unheard' })).toHaveLength(1);
    expect(await page.getByLabel('Name').inputValue()).toBe('Unheard');
  });

  test('an overlong text stays in the form, and the page says that it is too long', async () => {
    await signIn(await aMember(bed, 'owner'));
    const page = await context.newPage();
    await page.goto(`${bed.apiUrl}/app/policies/new`);
    const word = 'a'.repeat(1_200_000);
    await page.getByLabel('Description').fill(word);
    await page.getByRole('button', { name: 'Create policy' }).click();
    await page.getByRole('alert').getByText('The text is too long. Nothing changed.').waitFor();
    expect((await page.getByLabel('Description').inputValue()).length).toBe(word.length);
  });

  test('a secret is not shown again after a reload or going back; a double click creates one key', async () => {
    await signIn(await aMember(bed, 'owner'));
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: bed.apiUrl });
    const page = await context.newPage();
    await page.goto(`${bed.apiUrl}/app/keys/new`);
    const secret = page.getByRole('region', { name: 'Copy it now' });
    await page.getByLabel('Name').fill('Backend');
    await page.getByRole('button', { name: 'Create key' }).click();
    await secret.waitFor();
    await page.reload();
    await page.getByLabel('Name').fill('Backend');
    await page.getByRole('button', { name: 'Create key' }).dblclick();
    await secret.waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    await secret.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('status').getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await secret.getByRole('textbox').inputValue());
    expect(await page.title()).toBe('New key · Integration Gateway');
    await page.getByRole('link', { name: 'Back to API keys' }).click();
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Create key' }).waitFor();
    expect(await secret.count()).toBe(0);
    expect(await bed.gateway.db('api_keys').where({ name: 'Backend' })).toHaveLength(2);
  });

  test('if a form is refused, its page keeps the address and the values, and stays live', async () => {
    const { id } = await ask();
    const page = await openApproval(id);
    const reason = page.getByLabel('Reason (optional)');
    await reason.evaluate((field) => field.removeAttribute('maxlength'));
    await reason.fill('x'.repeat(10_000));
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('alert').waitFor();
    expect([new URL(page.url()).pathname, await reason.inputValue()]).toEqual([`/app/approvals/${id}`, 'x'.repeat(10_000)]);
    const other = await aMember(bed, 'owner', { name: 'Grace Hopper' });
    await other.post(`/approvals/${id}/decide`, { decision: 'reject' });
    await page.getByText('Grace Hopper').first().waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });

  test('if the session ends, an open form can be sent after a new sign-in', async () => {
    const { id } = await ask();
    const page = await openApproval(id);
    await bed.gateway.db('member_sessions').where({ user_id: member.id }).delete();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
    await signIn(await aMember(bed, 'member'));
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('You approved the request.').waitFor();
    expect((await bed.gateway.db('approvals').where({ id }).first()).decision_reason).toBe('as agreed');
  });

  test('an open page is live again after a sign-in in another tab', async () => {
    const { id } = await ask();
    const page = await openApproval(id);
    await member.post('/sign-out');
    const said = page.getByText('Your session has ended.');
    await said.waitFor();
    expect(await page.getByRole('link', { name: 'Sign in again' }).getAttribute('href')).toBe(`${bed.apiUrl}/app/sign-in`);
    await signIn(await aMember(bed, 'member'));
    await page.evaluate("dispatchEvent(new Event('focus'))");
    await said.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Reason (optional)').inputValue()).toBe('as agreed');
    await (await aMember(bed, 'owner', { name: 'Grace Hopper' })).post(`/approvals/${id}/decide`, { decision: 'reject' });
    await page.getByText('Grace Hopper').first().waitFor();
  });

  test('the inbox shows the button Approve only beside the current request', async () => {
    const [older, newer] = [await ask(), await ask()];
    const page = await context.newPage();
    await page.setViewportSize({ width: 1400, height: 900 });
    await page.goto(`${bed.apiUrl}/app/approvals`);
    const preview = page.getByRole('region', { name: 'Preview' });
    const approve = preview.getByRole('button', { name: 'Approve' });
    const shows = ({ id }: { id: string }) => preview.locator(`a[href$="${id}"]`).first();
    const row = ({ id }: { id: string }) => page.locator(`tr[id="row-${id}"] th a`);
    await shows(newer).waitFor();
    await page.route('**/approvals?current=*', (route) => route.abort());
    await row(older).focus();
    await preview.getByText("We can't show this request now. We keep trying.").waitFor();
    expect(await approve.count()).toBe(0);
    await page.unroute('**/approvals?current=*');
    await shows(older).waitFor();
    await approve.waitFor();

    // The answer about `newer` arrives after `older` is chosen.
    const held = Promise.withResolvers<void>();
    await page.route(`**/approvals?current=${newer.id}*`, async (route) => {
      await held.promise;
      await route.continue();
    });
    await row(newer).focus();
    await preview.getByText('Loading …').waitFor();
    await row(older).focus();
    held.resolve();
    await shows(older).waitFor();
    expect(await shows(newer).count()).toBe(0);
  });

  test('going back after a decision shows the decision instead of the form', async () => {
    const { id } = await ask();
    const page = await openApproval(id);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('You approved the request.').waitFor();
    await page.goBack();
    await page.getByText('Decided by').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });

  test('if another member decides, the open page names this member without a reload', async () => {
    const { id } = await ask();
    const page = await openApproval(id);
    const other = await aMember(bed, 'owner', { name: 'Grace Hopper' });
    await other.post(`/approvals/${id}/decide`, { decision: 'reject' });
    await page.getByText('Grace Hopper').first().waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });
}

if (browserPath) describe('faults in a real browser', inBrowser);
else test.skip('faults in a real browser (skipped: Chromium and Chrome are not installed)', () => {});

import type { Browser, BrowserContext, Page } from 'playwright-core';
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
  async function openApproval(id: string): Promise<Page> {
    const page = await context.newPage();
    await page.goto(`${bed.apiUrl}/app/approvals/${id}`);
    await page.getByLabel('Reason (optional)').fill('as agreed');
    return page;
  }

  test('without a connection a form says that it was not sent, keeps what was typed, and is sent later', async () => {
    const { id } = await ask();
    const page = await openApproval(id);
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('alert').getByText('Not sent. Check the connection and try again.', { exact: true }).waitFor();
    expect(await page.getByLabel('Reason (optional)').inputValue()).toBe('as agreed');
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByText('You rejected it.').waitFor();
    expect((await bed.gateway.db('approvals').where({ id }).first()).decision_reason).toBe('as agreed');
  });

  test('when the session ends while a form is open, it is sent after a sign-in in another tab', async () => {
    const { id } = await ask();
    const page = await openApproval(id);
    await bed.gateway.db('member_sessions').where({ user_id: member.id }).delete();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
    await signIn(await aMember(bed, 'member'));
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('You approved it.').waitFor();
    expect((await bed.gateway.db('approvals').where({ id }).first()).decision_reason).toBe('as agreed');
  });

  test('back after a decision shows what was decided, without a form', async () => {
    const { id } = await ask();
    const page = await openApproval(id);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('You approved it.').waitFor();
    await page.goBack();
    await page.getByText('Decided by').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });

  test('when somebody else decides, the open page says who, by itself', async () => {
    const { id } = await ask();
    const page = await openApproval(id);
    const other = await aMember(bed, 'owner', { name: 'Grace Hopper' });
    await other.post(`/approvals/${id}/decide`, { decision: 'reject' });
    await page.getByText('Grace Hopper').first().waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });
}

if (browserPath) describe('faults in a real browser', inBrowser);
else test.skip('faults in a real browser (skipped: neither Chromium nor Chrome is installed)', () => {});

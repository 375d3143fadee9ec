import type { Browser, BrowserContext, Page } from 'playwright-core';
import { browserPath, openBrowser } from '../../../../support/browser.ts';
import { type CountedBed, openCountedBed } from '../../../counted-bed.ts';
import { anApproval } from '../../page-bed.ts';
import { type AppMember, aMember, pageBed } from '../app-bed.ts';

function inBrowser(): void {
  let counted: CountedBed;
  let browser: Browser;
  let member: AppMember;
  let context: BrowserContext;
  beforeAll(async () => {
    [counted, browser] = await Promise.all([openCountedBed(), openBrowser()]);
    member = await aMember(counted.bed, 'owner');
    context = await browser.newContext();
    await context.addCookies([{ name: 'gateway', value: member.sessionToken, url: counted.bed.apiUrl }]);
  });
  afterAll(async () => {
    await context?.close();
    await browser?.close();
    await counted?.close();
  });

  async function openOverview(): Promise<Page> {
    const page = await context.newPage();
    const streams = page.waitForResponse((answer) => new URL(answer.url()).pathname === '/app/events');
    await page.goto(`${counted.bed.apiUrl}/app`);
    await streams;
    return page;
  }
  const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

  test('new requests and decisions update the open overview', async () => {
    const page = await openOverview();
    await part(page, 'Waiting for you').getByText('Nothing waits for you.').waitFor();
    const { id } = await anApproval(pageBed(counted.bed));
    await part(page, 'Waiting for you').locator(`a[href="/app/approvals/${id}"]`).waitFor();
    await page.getByRole('link', { name: 'Approvals, 1 waiting' }).waitFor();
    await member.post(`/approvals/${id}/decide`, { decision: 'reject', reason: '' });
    await part(page, 'Waiting for you').getByText('Nothing waits for you.').waitFor();
    await page.getByRole('link', { name: 'Approvals, 0 waiting' }).waitFor();
    await part(page, 'Activity').getByText('Rejected').waitFor();
    await page.close();
  });

  test('the health section follows changes of accounts, webhooks, Temporal and the worker', async () => {
    const { bed, patient } = counted;
    const page = await openOverview();
    const health = part(page, 'Health');
    await health.getByText('None yet').waitFor();
    const account = { integrationName: 'mail', externalId: 'desk', type: 'SECRET_TEXT', secretText: 'zq' };
    const { connection } = await bed.api.must(201).post('/api/v1/connections', account);
    await health.getByText('None yet').waitFor({ state: 'detached' });
    await patient('connections').where({ id: connection.id }).update({ status: 'ERROR' });
    await health.getByText('1 of 1 must be connected again').waitFor();
    await bed.api.must(200).delete(`/api/v1/connections/${connection.id}`);
    await health.getByText('None yet').waitFor();

    const approvers = [{ type: 'webhook', webhookUrl: 'https://hooks.example.com/x' }];
    const { policy } = await bed.api.must(200).post('/api/v1/approval-policies', { name: 'Tell', enabled: false, approvers });
    await health.getByText('None set up').waitFor({ state: 'detached' });
    await anApproval(pageBed(bed), { policyId: policy.id });
    await patient('webhook_deliveries').update({ status: 'failed', next_attempt_at: null });
    await health.getByText('1 failed in the last 24 hours').waitFor();

    await health.getByText('Not reachable').waitFor();
    await page.getByText('Temporal is not reachable. Decisions are kept and arrive later.').waitFor();
    Object.assign(bed.gateway, { orchestrator: { ...bed.gateway.orchestrator, ping: async () => {}, hasWorker: async () => false } });
    await health.getByText('No worker runs.').waitFor();
    const banner = page.locator('#outage').getByText('No worker runs. Webhooks and code runs wait for a worker.');
    await banner.waitFor();
    Object.assign(bed.gateway, { orchestrator: { ...bed.gateway.orchestrator, hasWorker: async () => true } });
    await health.getByText('No worker runs.').waitFor({ state: 'detached' });
    await banner.waitFor({ state: 'detached' });
    await page.close();
  });

  test('a form keeps its values during a database outage; afterwards, the open pages are live again', async () => {
    const { bed } = counted;
    const { id } = await anApproval(pageBed(bed));
    const [page, other] = [await openOverview(), await context.newPage()];
    await other.goto(`${bed.apiUrl}/app/approvals/${id}`);
    await other.getByLabel('Reason (optional)').fill('as agreed');
    await counted.cutDatabase();
    const banner = page.getByText('The database is not reachable. This page keeps its last state and continues automatically.');
    await banner.waitFor();
    await other.getByRole('button', { name: 'Reject' }).click();
    await other.getByRole('alert').getByText('The database is not reachable. Nothing changed. Wait a moment, then try again.').waitFor();
    const third = await context.newPage();
    await third.goto(`${bed.apiUrl}/app/approvals/${id}`);
    await third.getByRole('heading', { name: 'The database is not reachable', level: 1 }).waitFor();

    counted.mendDatabase();
    await banner.waitFor({ state: 'detached' });
    await third.getByRole('button', { name: 'Approve' }).waitFor();
    await other.getByRole('button', { name: 'Reject' }).click();
    await other.getByText('You rejected the request.').waitFor();
    await third.getByText('as agreed').first().waitFor();
    for (const open of [page, other, third]) await open.close();
  });

  test('while nothing changes, an open overview causes no request and no SQL statement', async () => {
    const page = await openOverview();
    await new Promise((resolve) => setTimeout(resolve, 6000));
    counted.takeStatements();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await new Promise((resolve) => setTimeout(resolve, 6000));
    expect([asked, counted.takeStatements()]).toEqual([[], []]);
    await page.close();
  });
}

if (browserPath) describe('the overview in a real browser', inBrowser);
else test.skip('the overview in a real browser (skipped: Chromium and Chrome are not installed)', () => {});

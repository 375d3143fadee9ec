import type { Browser, BrowserContext, Page } from 'playwright-core';
import { accessibilityProblems, browserPath, OVERFLOW, openBrowser, SMALL_TARGETS } from '../../../support/browser.ts';
import { sampled } from '../../../support/extent.ts';
import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { anApproval, anApprovalOf } from '../page-bed.ts';
import { aPlan, CODE } from '../page-states.ts';
import { type AppMember, aMember, pageBed } from './app-bed.ts';
import { pathsOfRecords } from './connected-records.ts';
import { aLongChange, aServerOfLongNames } from './long-names.ts';
import { aReplayableRun, aRunIn, aRunThatWaited } from './runs/run-records.ts';

const HOSTILE = '<script>x</script>\u202Egnp.exe '.padEnd(180, 'w');

/** A policy with hostile texts, behind one that decides all its calls, with an earlier version. */
async function aPolicy({ api }: ApiBed): Promise<string> {
  const path = '/api/v1/approval-policies';
  await api.must(200).post(path, { name: 'Everything first', priority: 1, decision: 'notify_only' });
  const rules = { recipientDenylist: [HOSTILE], amountThresholds: [{ path: 'amount', gte: 500, currency: 'USD' }] };
  const { policy } = await api.must(200).post(path, { name: 'x', rules, mode: 'shadow', integrationNames: [HOSTILE] });
  await api.must(200).patch(`${path}/${policy.id}`, { name: HOSTILE.slice(0, 120), mode: 'enforce', metadata: { note: HOSTILE } });
  return policy.id;
}

interface Ids {
  delivery: string;
  endpoint: string;
  approval: string;
  plan: string;
  decided: string;
  policy: string;
  server: string;
  run: string;
  waitingRun: string;
  change: string;
  replayed: string;
  key: string;
}

/** Pages of records that belong together. */
let connected: Awaited<ReturnType<typeof pathsOfRecords>>;

/** Screens with the records that they show. */
const LOOKS: Record<string, (owner: AppMember, ids: Ids) => string> = {
  Overview: () => '',
  'API keys': () => '/keys',
  'New key': () => '/keys/new',
  'A key': (_, { key }) => `/keys/${key}`,
  Approvals: () => '/approvals',
  'An approval': (_, { approval }) => `/approvals/${approval}`,
  'A program': (_, { plan }) => `/approvals/${plan}`,
  'A decided approval': (_, { decided }) => `/approvals/${decided}`,
  'Approve several': (_, { approval }) => `/approvals/decide?decision=approve&id=${approval}`,
  Workspaces: () => '/workspaces',
  'New workspace': () => '/workspaces/new',
  'A workspace': () => connected.workspace,
  'Delete a workspace': () => `${connected.workspace}/delete`,
  'An integration of a workspace': () => connected.instance,
  Connections: () => '/connections',
  'Connect an account': () => '/connections/new',
  'A connection': () => connected.connection,
  'Disconnect an account': () => `${connected.connection}/disconnect`,
  People: () => '/people',
  'New person': () => '/people/new',
  'A person': () => connected.person,
  Integrations: () => '/integrations',
  'An integration': () => '/integrations/github',
  'Import an integration': () => '/integrations/import',
  'A custom integration': () => '/integrations/tasks',
  'Changes of an integration': () => '/integrations/tasks/changes',
  'A change of an integration': (_, { change }) => `/integrations/tasks/changes/${change}`,
  'Read an integration again': () => '/integrations/tasks/refresh',
  'MCP servers': () => '/servers',
  'New server': () => '/servers/new',
  'An MCP server': (_, { server }) => `/servers/${server}`,
  'Tokens of a server': (_, { server }) => `/servers/${server}/tokens`,
  'Replace a token': (_, { server }) => `/servers/${server}/replace-token`,
  'Delete a server': (_, { server }) => `/servers/${server}/delete`,
  Webhooks: () => '/webhooks',
  'A delivery': (_, { delivery }) => `/webhooks/deliveries/${delivery}`,
  'Rotate a webhook secret': (_, { endpoint }) => `/webhooks/endpoints/${endpoint}/rotate`,
  Activity: () => '/activity',
  'Code runs': () => '/runs',
  'A code run': (_, { run }) => `/runs/${run}`,
  'A waiting code run': (_, { waitingRun }) => `/runs/${waitingRun}`,
  'Replay a run': (_, { replayed }) => `/runs/${replayed}/replay`,
  'Cancel a code run': (_, { waitingRun }) => `/runs/${waitingRun}/cancel`,
  Playground: () => '/playground',
  'Write a program': () => '/playground/program',
  'Run an action': () => '/playground/action?integration=http&action=send_request',
  Policies: () => '/policies',
  'New policy': () => '/policies/new',
  'A policy': (_, { policy }) => `/policies/${policy}`,
  'Delete a policy': (_, { policy }) => `/policies/${policy}/delete`,
  Organization: () => '/settings/organization',
  Quotas: () => '/settings/quotas',
  Keys: () => '/settings/keys',
  'OAuth apps': () => '/settings/oauth-apps',
  'New OAuth app': () => '/settings/oauth-apps/new',
  Members: () => '/settings/members',
  'Invite a member': () => '/settings/members/new',
  'A member': ({ id }) => `/settings/members/${id}`,
  'Remove a member': ({ id }) => `/settings/members/${id}/remove`,
  'Your account': () => '/account',
  'Go to': () => '/go?q=a',
  'Nothing here': () => '/nowhere',
};

function inBrowser(): void {
  let bed: ApiBed;
  let browser: Browser;
  let owner: AppMember;
  let ids: Ids;
  beforeAll(async () => {
    [bed, browser] = await Promise.all([openApiBed(), openBrowser()]);
    owner = await aMember(bed, 'owner', { name: 'Ada Lovelace' });
    connected = await pathsOfRecords(bed, HOSTILE);
    await aMember(bed, 'viewer', { name: HOSTILE });
    const input = { method: 'POST', url: `https://example.com/${'long'.repeat(99)}`, note: HOSTILE };
    const [approval, decided] = [await anApprovalOf(pageBed(bed), input), await anApproval(pageBed(bed))];
    await owner.post(`/approvals/${decided.id}/decide`, { decision: 'approve', reason: HOSTILE });
    const [{ id: run }, waitingRun, server] = [
      await aRunThatWaited(bed),
      await aRunIn(bed, 'waiting'),
      await aServerOfLongNames(bed, HOSTILE),
    ];
    const replayed = await aReplayableRun(bed);
    const plan = (await aPlan(pageBed(bed), null, CODE)).id;
    const policy = await aPolicy(bed);
    const change = await aLongChange(bed, HOSTILE);
    const key = (await bed.api.must(200).post('/api/v1/api-keys', { name: HOSTILE.slice(0, 120) })).apiKey.id;
    ids = {
      approval: approval.id,
      decided: decided.id,
      plan,
      policy,
      server,
      change,
      run,
      waitingRun,
      replayed,
      key,
      ...(await aFailedDelivery()),
    };
  });
  afterAll(async () => {
    await browser?.close();
    await bed?.close();
  });

  /** A failed delivery of a policy with a webhook. */
  async function aFailedDelivery(): Promise<Pick<Ids, 'delivery' | 'endpoint'>> {
    const webhookUrl = `https://hooks.example.com/${'long'.repeat(60)}`;
    const { policy } = await bed.api.must(200).post('/api/v1/approval-policies', {
      ...{ name: HOSTILE.slice(0, 120), enabled: false, actionNames: ['no_such_action'], approvers: [{ type: 'webhook', webhookUrl }] },
    });
    const { id } = await anApproval(pageBed(bed), { policyId: policy.id, policyName: HOSTILE });
    const [row] = await bed
      .patient('webhook_deliveries')
      .where({ approval_id: id })
      .update({ status: 'failed', attempt: 10, next_attempt_at: null, http_status: 500, error_message: HOSTILE })
      .returning(['id', 'endpoint_id']);
    return { delivery: row.id, endpoint: row.endpoint_id };
  }

  async function contextOf(member: AppMember | undefined, width: number): Promise<BrowserContext> {
    const context = await browser.newContext({ viewport: { width, height: 800 } });
    if (member) await context.addCookies([{ name: 'gateway', value: member.sessionToken, url: bed.apiUrl }]);
    return context;
  }

  /** Opens a page. Collects console messages, except the browser's line about a 404. */
  async function open(context: BrowserContext, path: string): Promise<{ page: Page; complaints: string[] }> {
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (!message.text().includes('the server responded with a status of 4')) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${bed.apiUrl}/app${path}`);
    return { page, complaints };
  }

  test.each(sampled(Object.entries(LOOKS), 4))(
    '%s: axe finds nothing, light and dark; it fits 360 pixels and a thumb; the console is silent',
    async (name, path) => {
      for (const width of [360, 1280]) {
        const context = await contextOf(owner, width);
        const { page, complaints } = await open(context, path(owner, ids));
        expect(await accessibilityProblems(page)).toEqual([]);
        expect(await page.evaluate(OVERFLOW)).toBe(0);
        if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}.png`, fullPage: true });
        await page.emulateMedia({ colorScheme: 'dark' });
        expect(await accessibilityProblems(page)).toEqual([]);
        if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}-dark.png`, fullPage: true });
        if (width === 360) expect(await page.evaluate(SMALL_TARGETS)).toEqual([]);
        expect(await page.evaluate(OVERFLOW)).toBe(0); // with all that SMALL_TARGETS unfolds
        expect(complaints).toEqual([]);
        await context.close();
      }
    },
  );
}

if (browserPath) describe('the dashboard in a real browser', inBrowser);
else test.skip('the dashboard in a real browser (skipped: neither Chromium nor Chrome is installed)', () => {});

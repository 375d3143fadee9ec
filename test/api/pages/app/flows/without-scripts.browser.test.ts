import type { Browser, BrowserContext, Page } from 'playwright-core';
import { issueSetupLink } from '../../../../../commands/members/set-up.ts';
import { browserPath, openBrowser } from '../../../../support/browser.ts';
import { type ApiBed, openApiBed } from '../../../api-bed.ts';

const PASSWORD = 'correct horse battery staple';

/** Later flows need the records of earlier flows. */
function inBrowser(): void {
  let bed: ApiBed;
  let browser: Browser;
  let page: Page;
  let reviewer: BrowserContext;
  let signInLink: string;
  beforeAll(async () => {
    [bed, browser] = await Promise.all([openApiBed(), openBrowser()]);
    const contexts = [0, 1].map(() => browser.newContext({ javaScriptEnabled: false, viewport: { width: 1280, height: 900 } }));
    const [owner, other] = (await Promise.all(contexts)) as [BrowserContext, BrowserContext];
    [page, reviewer] = [await owner.newPage(), other];
  });
  afterAll(async () => {
    await browser?.close();
    await bed?.close();
  });

  const main = () => page.getByRole('main');
  const button = (name: string) => main().getByRole('button', { name, exact: true });
  const field = (name: string) => main().getByRole('textbox', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  const said = (sentence: string) => page.locator('main > [role="status"]').getByText(sentence, { exact: true }).waitFor();
  const secret = () => page.getByRole('region', { name: 'Copy it now' }).getByRole('textbox').inputValue();
  const here = (link: string) => bed.apiUrl + new URL(link).pathname + new URL(link).search;
  const open = (path: string) => page.goto(`${bed.apiUrl}/app${path}`);

  test('set-up, sign-out and sign-in', async () => {
    await page.goto(here((await issueSetupLink(bed.gateway, bed.orgId))!));
    await field('Your name').fill('Ada Lovelace');
    await field('E-mail').fill('ada@example.com');
    await main().getByLabel('Password').fill(PASSWORD);
    await button('Create the owner account').click();
    await said('You are the owner of this gateway.');
    await page.getByRole('button', { name: 'Account', exact: true }).click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await heading('Sign in');
    await open('/keys');
    await field('E-mail').fill('ada@example.com');
    await main().getByLabel('Password').fill(`${PASSWORD}!`);
    await button('Sign in').click();
    await page.getByRole('alert').getByText("That e-mail and password don't match.").waitFor();
    await main().getByLabel('Password').fill(PASSWORD);
    await button('Sign in').click();
    await heading('API keys');
  });

  test('a key can be created and deleted', async () => {
    await main().getByRole('link', { name: 'New key', exact: true }).click();
    await field('Name').fill('Billing backend');
    await button('Create key').click();
    expect(await secret()).toMatch(/^svc_/);
    await main().getByRole('link', { name: 'Back to API keys' }).click();
    await main().getByRole('rowheader').getByRole('link', { name: 'Billing backend' }).click();
    await main().getByRole('link', { name: 'Delete', exact: true }).click();
    await heading('Delete Billing backend?');
    await button('Delete key').click();
    await said('Billing backend is deleted.');
  });

  test('a person, a server and a token for the person can be created', async () => {
    await open('/people/new');
    await main().getByRole('combobox', { name: 'Workspace', exact: true }).selectOption(bed.workspaceId);
    await field('External id').fill('user-42');
    await button('Create person').click();
    await heading('user-42');

    await open('/servers/new');
    await field('Name').fill('Desk');
    await main().getByRole('combobox', { name: 'Workspace', exact: true }).selectOption(bed.workspaceId);
    await main().getByRole('radio', { name: 'Both', exact: true }).check();
    await button('Create server').click();
    await main().getByRole('link', { name: 'Open Desk', exact: true }).click();
    await heading('Desk');
    expect(await field('Endpoint').inputValue()).toMatch(/\/mcp\/srv_/);
    const hosts = page.getByRole('region', { name: 'Add it to a host' }).locator('details');
    await hosts.first().locator('summary').click();
    expect(await hosts.first().getByRole('textbox').first().isVisible()).toBe(true);
    await main().getByRole('combobox', { name: 'Person', exact: true }).selectOption({ label: 'user-42' });
    await button('Create token').click();
    expect(await page.getByRole('region', { name: 'Copy it now' }).getByRole('textbox').first().inputValue()).toMatch(/mcp_/);
  });

  test('an account can be connected', async () => {
    await open('/connections/new');
    await main().getByRole('combobox', { name: 'Integration', exact: true }).selectOption('mail');
    await main().getByRole('combobox', { name: 'Workspace', exact: true }).selectOption(bed.workspaceId);
    await main().getByRole('radio', { name: 'The workspace', exact: true }).check();
    await button('Connect an account').click();
    await page.goto(here(await secret()));
    await page.getByRole('textbox', { name: 'Token' }).fill('the account of the team');
    await page.getByRole('button', { name: 'Connect Mail' }).click();
    await page.getByText('Mail is connected').first().waitFor();
    await open('/connections');
    await main().getByRole('link', { name: 'Mail', exact: true }).waitFor();
  });

  test('a policy can be tested, created, changed, disabled and enabled', async () => {
    await open('/policies/new');
    await field('Name').fill('Mail to strangers');
    await main().getByRole('checkbox', { name: 'Mail', exact: true }).check();
    await field('Recipients').fill('not *@example.com');
    await button('Check the last 7 days').click();
    await main().getByText('Would have matched 0 of 0 calls.').waitFor();
    expect(await field('Recipients').inputValue()).toBe('not *@example.com');
    await main().getByRole('combobox', { name: 'Integration', exact: true }).selectOption('mail');
    await field('Action').fill('send');
    await field('Input (JSON)').fill('{"to": "eve@evil.example"}');
    await button('Test').click();
    await main().getByText('It matches').waitFor();
    await button('Create policy').click();
    await heading('Mail to strangers');
    await field('Description').fill('Somebody reads them first.');
    await button('Save').click();
    await said('Mail to strangers is saved.');
    await button('Turn off Mail to strangers').click();
    await button('Turn on Mail to strangers').click();
    await said('Mail to strangers is turned on.');
  });

  test('a reviewer is invited and signs in through the link', async () => {
    await open('/settings/members');
    await field('E-mail').fill('rita@example.com');
    await main().getByRole('combobox', { name: 'Role', exact: true }).selectOption('member');
    await button('Invite a member').click();
    signInLink = await secret();
    const theirs = await reviewer.newPage();
    await theirs.goto(here(signInLink));
    await theirs.getByRole('heading', { name: 'Sign in as rita@example.com?' }).waitFor();
    await theirs.getByRole('button', { name: 'Sign in', exact: true }).click();
    await theirs.getByRole('heading', { name: 'Your account', level: 1 }).waitFor();
  });

  test('an action of the playground can be approved in the inbox and resumed', async () => {
    await open('/playground');
    await main().getByRole('link', { name: 'Run an action', exact: true }).click();
    await main().getByRole('combobox', { name: 'Workspace', exact: true }).selectOption(bed.workspaceId);
    await main().getByRole('combobox', { name: 'Integration', exact: true }).selectOption('mail');
    await button('Choose').click();
    await main().getByRole('combobox', { name: 'Action', exact: true }).selectOption('send');
    await button('Choose').click();
    await field('To').fill('eve@evil.example');
    await button('What would happen').click();
    await main().getByText('The call waits for a person').first().waitFor();
    await button('Run').click();
    await button('Resume').waitFor();

    const theirs = await reviewer.newPage();
    await theirs.goto(`${bed.apiUrl}/app/approvals`);
    const table = theirs.getByRole('table', { name: 'Approvals' });
    await table.getByRole('rowheader').getByRole('link').click();
    await theirs.getByLabel('Reason (optional)').fill('She asked for it.');
    await theirs.getByRole('button', { name: 'Approve', exact: true }).click();
    await theirs.getByRole('status').getByText('You approved the request.').waitFor();

    await button('Resume').click();
    await main().getByText('the account of the team').first().waitFor();
  });

  test('several requests can be rejected together', async () => {
    for (const to of ['a@evil.example', 'b@evil.example']) {
      const call = { workspaceId: bed.workspaceId, integrationName: 'mail', actionName: 'send', input: { to } };
      await bed.api.must(202).post('/api/v1/actions/execute', call);
    }
    await open('/approvals');
    for (const box of await main()
      .getByRole('checkbox', { name: /^Select / })
      .all())
      await box.check();
    await button('Reject selected').click();
    await heading('Reject 2 requests?');
    await button('Reject 2 requests').click();
    await main().getByText('Nothing waits').or(main().getByText('Nothing matches')).first().waitFor();
  });
}

if (browserPath) describe('the dashboard with scripts switched off', inBrowser);
else test.skip('the dashboard with scripts switched off (skipped: Chromium and Chrome are not installed)', () => {});

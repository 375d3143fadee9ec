import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Browser, Page } from 'playwright-core';
import { browserPath, openBrowser } from '../../../../support/browser.ts';
import { GET_TASK, type OwnBed, openOwnBed, tasksAt } from '../../../integrations/own/own-bed.ts';
import { refreshWith } from '../../../integrations/own/read-changes.ts';
import { aMember } from '../app-bed.ts';

const PETS = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: 'https://api.example.com' }],
  paths: { '/pets': { get: { operationId: 'listPets', summary: 'List pets', responses: { 200: { description: 'ok' } } } } },
};

function inBrowser(): void {
  let bed: OwnBed;
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    [bed, browser] = await Promise.all([openOwnBed(), openBrowser()]);
    const admin = await aMember(bed, 'admin');
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    await context.addCookies([{ name: 'gateway', value: admin.sessionToken, url: bed.apiUrl }]);
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: bed.apiUrl });
    page = await context.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await bed?.close();
  });

  const open = (path: string) => page.goto(`${bed.apiUrl}/app${path}`);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
  const said = (sentence: string | RegExp) => page.locator('main > [role="status"]').getByText(sentence).waitFor();

  async function connect(endpoint: string, token: string): Promise<string[]> {
    const client = new Client({ name: 'test', version: '1' });
    const url = new URL(bed.apiUrl + new URL(endpoint).pathname);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { Authorization: `Bearer ${token}` } } }));
    const { tools } = await client.listTools();
    await client.close();
    return tools.map(({ name }) => name);
  }

  test('an agent connects with the endpoint and token of a new server', async () => {
    await bed.api.must(201).post('/api/v1/end-users', { workspaceId: bed.workspaceId, externalId: 'ada', displayName: 'Ada' });
    await open('/integrations');
    await page.getByRole('searchbox', { name: 'Search integrations' }).fill('hash');
    await button('Apply').click();
    await page.getByRole('rowheader').getByRole('link', { name: 'Hash & Encode' }).click();
    const add = page.getByRole('region', { name: 'Add to a workspace' });
    await add.getByRole('combobox', { name: 'Workspace' }).selectOption(bed.workspaceId);
    await add.getByRole('textbox', { name: 'Alias' }).fill('digests');
    await add.getByRole('combobox', { name: 'Connection strategy' }).selectOption('fixed');
    await add.getByRole('button', { name: 'Add integration' }).click();
    await said('is added to');

    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'MCP servers' }).first().click();
    await page.getByRole('link', { name: 'New server' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('New server');
    await field('Name').fill('Desk');
    await page.getByRole('main').getByRole('combobox', { name: 'Workspace' }).selectOption(bed.workspaceId);
    for (const [group, radio] of [
      ['Mode', 'Tools'],
      ['Sign-in', 'Both'],
      ['Who may use it', 'Restricted'],
    ])
      await page.getByRole('radiogroup', { name: group! }).getByRole('radio', { name: radio!, exact: true }).check();
    await button('Create server').click();
    await page.getByRole('region', { name: 'Copy it now' }).waitFor();
    await page.getByRole('link', { name: 'Open Desk' }).click();

    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Desk');
    await button('Copy endpoint').click();
    await page.getByText('Copied.').waitFor();
    const endpoint = await copied();
    expect(endpoint).toBe(await field('Endpoint').inputValue());
    const hosts = page.getByRole('region', { name: 'Add it to a host' });
    expect(await hosts.locator('details').count()).toBeGreaterThanOrEqual(3);
    await hosts.getByText('VS Code', { exact: true }).click();
    await button('Copy configuration for VS Code').click();
    expect(JSON.parse(await copied()).servers.gateway.url).toBe(endpoint);

    const form = page.getByRole('region', { name: 'New token' });
    await form.getByRole('combobox', { name: 'Person' }).selectOption({ label: 'Ada (ada)' });
    await form.getByRole('button', { name: 'Create token' }).click();
    const secret = page.getByRole('region', { name: 'Copy it now' });
    const token = await secret.getByRole('textbox').inputValue();
    await secret.getByRole('button').click();
    expect(await copied()).toBe(token);
    expect(await connect(endpoint, token)).toContain('digests__hash');
  });

  test('an admin imports a document, and accepts a change of another integration', async () => {
    await open('/integrations');
    await page.getByRole('link', { name: 'Import an integration' }).click();
    await page.getByRole('radio', { name: 'OpenAPI document' }).check();
    await field('Name').fill('pets');
    await field('Document').fill(JSON.stringify(PETS));
    await button('Preview').click();
    await page.getByRole('region', { name: 'What would be imported' }).waitFor();
    await button('Import integration').click();
    await said('1 actions are imported.');
    await page.getByText('List pets', { exact: true }).first().waitFor();

    const { url } = bed.thirdParty;
    const described = (description: string) => tasksAt(url, { actions: { get_task: { ...GET_TASK, description } } });
    await bed.api.must(201).post('/api/v1/integrations/import', { kind: 'declarative', name: 'tasks', document: described('Old words') });
    await refreshWith(bed, 'tasks', described('New words'));
    await open('/integrations/tasks');
    await page.getByRole('link', { name: '1 change waits' }).click();
    await page.getByRole('rowheader').getByRole('link', { name: 'Changed action get_task' }).click();
    await page.getByText('New words', { exact: true }).waitFor();
    await field('Reason (optional)').fill('Read it');
    await button('Accept').click();
    await said(/^Changed action get_task: accepted\.$/);
    const { integration } = await bed.api.must(200).get('/api/v1/integrations/tasks');
    expect(integration.actions.get_task.description).toBe('New words');
  });
}

if (browserPath) describe('MCP servers and integrations in a real browser', inBrowser);
else test.skip('MCP servers and integrations in a real browser (skipped: Chromium and Chrome are not installed)', () => {});

import { createApiKey } from '../../../commands/access/create-api-key.ts';
import { anApproval, anApprovalOf, linkOf, openPages, type PageBed, read } from './page-bed.ts';
import { anAccount, aPolicy } from './page-records.ts';
import { SLACK } from './page-states.ts';

let bed: PageBed;
beforeAll(async () => {
  bed = await openPages();
});
afterAll(() => bed?.close());

test('the page shows what is requested, by whom, why, and until when', async () => {
  const { apiKey } = await createApiKey(bed.gateway, { orgId: bed.org.orgId, name: 'Backend', permissions: {}, expiresAt: null });
  await bed.gateway.db('end_users').insert({
    org_id: bed.org.orgId,
    workspace_id: bed.org.workspaceId,
    external_id: 'user_42',
    display_name: 'Ada Lovelace',
  });
  const approval = await anApproval(bed, {
    requestedByType: 'api_key',
    requestedById: apiKey.id,
    endUserId: 'user_42',
    integrationAlias: 'orders-api',
    riskReasons: ['amount body.total is 1250, at least 1000'],
  });
  const { status, text } = await read(linkOf(bed, approval));
  expect(status).toBe(200);
  expect(text).toContain('Waiting for a decision');
  expect(text).toContain('The API key "Backend" wants to run Send request on HTTP in Default , for the end user Ada Lovelace .');
  expect(text).toContain('orders-api.send_request');
  expect(text).toContain('End user Ada Lovelace user_42');
  expect(text).toContain('Policy: Outgoing requests amount body.total is 1250, at least 1000');
  expect(text).toContain('Asked less than a minute ago');
  expect(text).toMatch(/(59 minutes|1 hour) left/);
  expect(text).toMatch(/Decide by (\d+ \w+ \d{4} at )?\d\d:\d\d UTC \((59 minutes|1 hour)\). No answer means no./);
  expect(text).toContain(approval.id);
});

test('the page says what happens at the timeout, and names an agent by its MCP server', async () => {
  const [{ id: mcpServerId }] = await bed.gateway
    .db('mcp_servers')
    .insert({
      org_id: bed.org.orgId,
      workspace_id: bed.org.workspaceId,
      name: 'Support desk',
      mode: 'TOOLS',
      auth_mode: 'bearer',
      end_user_access: 'open',
    })
    .returning('id');
  const approval = await anApproval(bed, { mcpServerId, requestedByType: 'mcp_token', source: 'mcp_tools', defaultOnTimeout: 'expire' });
  const { text } = await read(linkOf(bed, approval));
  expect(text).toContain('An agent wants to run Send request on HTTP in Default , through "Support desk"');
  expect(text).toContain('No answer means no.');
});

test('deleted keys, servers and workspaces are shown as deleted', async () => {
  const gone = '00000000-0000-4000-8000-000000000000';
  const approval = await anApproval(bed, {
    requestedByType: 'api_key',
    requestedById: gone,
    policyName: null,
    integrationName: 'acme',
    integrationAlias: null,
    actionName: 'launch_rocket',
  });
  // The ids are changed afterwards, because a new request cannot refer to missing records.
  await bed.gateway.db('approvals').where({ id: approval.id }).update({ workspace_id: gone, mcp_server_id: gone });
  const { text } = await read(linkOf(bed, approval));
  expect(text).toContain('An API key that was deleted wants to run launch_rocket on acme');
  expect(text).toContain('in a workspace that was deleted , through an MCP server that was deleted');
});

test.each([
  ['WORKSPACE', 'of the workspace Default'],
  ['ORGANIZATION', 'of the organization Reviewers'],
  ['USER', 'of the end user Grace'],
])('the page names the account that a call uses, and the account’s owner: %s', async (scope, whose) => {
  const { org_id, workspace_id } = { org_id: bed.org.orgId, workspace_id: bed.org.workspaceId };
  const endUser = { org_id, workspace_id, external_id: `grace_${scope}`, display_name: 'Grace' };
  const [{ id: end_user_id }] = await bed.gateway.db('end_users').insert(endUser).returning('id');
  const own = { ORGANIZATION: { workspace_id: null }, WORKSPACE: {}, USER: { end_user_id } }[scope];
  const account = await anAccount(bed, { scope, ...own });
  const bound = { concernedConnectionIds: [account], connectionId: account, connectionVersion: 1 };
  const approval = await anApproval(bed, { ...SLACK, ...bound });
  expect((await read(linkOf(bed, approval))).text).toContain(`It will use the account Acme team bot ${whose} .`);

  const says = async (change: object) => {
    await bed.gateway.db('connections').where({ id: account }).update(change);
    return (await read(linkOf(bed, approval))).text;
  };
  expect(await says({ status: 'ERROR' })).toContain('Its credentials were refused recently. The call may fail.');
  expect(await says({ status: 'REVOKED' })).toContain('It was disconnected. The call will fail.');
  expect(await says({ status: 'ACTIVE', credentials_version: 2 })).toContain('It was reconnected after this request');
  await bed.gateway.db('connections').where({ id: account }).delete();
  expect((await read(linkOf(bed, approval))).text).toContain('Account An account that was deleted');
});

test('the page says what approving permits, and what the other decisions cause', async () => {
  const { text } = await read(linkOf(bed, await anApproval(bed, { timeoutSeconds: 5400 })));
  expect(text).toContain(
    'Approve: runs once, with exactly this input, if started within 1 hour 30 minutes. Any change needs a new approval.',
  );
  expect(text).toContain('Reject: it does not run. The requester can make a new request.');
  expect(text).toContain('Withdraw: nobody decides. It does not run.');
  expect(text).not.toContain('needs no new approval');
});

test('a reuse window is mentioned only if the policy has not changed since the request', async () => {
  const policy = await aPolicy(bed, { reuseWindowSeconds: 7200 });
  const approval = await anApproval(bed, { policyId: policy, policyVersion: 1 });
  const words = 'For 2 hours after that, the same call needs no new approval, because the policy allows this.';
  expect((await read(linkOf(bed, approval))).text).toContain(words);
  await bed.gateway.db('approval_policies').where({ id: policy }).update({ version: 2 });
  expect((await read(linkOf(bed, approval))).text).not.toContain(words);
});

test('the page shows the risk and the policy’s version, if present', async () => {
  const approval = await anApproval(bed, { policyVersion: 7, riskScore: 0.825, riskCategory: 'high' });
  expect((await read(linkOf(bed, approval))).text).toContain('Policy: Outgoing requests version 7 Risk: 0.82 of 1, high');
});

test('every value of the input is shown with its name', async () => {
  const approval = await anApprovalOf(bed, {
    text: 'plain',
    number: 1249.5,
    yes: true,
    nothing: null,
    blank: '',
    none: [],
    bare: {},
    nested: { city: 'London', geo: { lat: 51.5 } },
    lines: [
      { sku: 'A-100', quantity: 1 },
      { sku: 'B-7', quantity: 33 },
    ],
    tags: ['rush', 'gift'],
    mixed: [1, { a: [2] }],
    letter: `Dear Ada,\n${'thank you. '.repeat(50)}`,
  });
  const { text, html } = await read(linkOf(bed, approval));
  for (const shown of [
    'text plain',
    'number 1249.5',
    'yes true',
    'nothing null',
    'blank empty text',
    'none empty list',
    'bare no fields',
  ]) {
    expect(text).toContain(shown);
  }
  expect(text).toContain('nested city London geo lat 51.5');
  expect(text).toContain('lines sku quantity A-100 1 B-7 33');
  expect(text).toContain('tags rush gift');
  expect(text).toContain('mixed 1 a 2');
  expect(text).toContain('Dear Ada, thank you.');
  expect(text).toContain('560 characters, 2 lines');
  expect(html).toMatch(/<pre class="block" tabindex="0" role="region" aria-label="letter, 560 characters, 2 lines"/);
  expect(html).toMatch(/<th scope="col">sku<\/th>/);
});

test('hidden values are marked in place and listed', async () => {
  const approval = await anApprovalOf(bed, { url: 'https://example.com', headers: { 'X-Api-Key': 'k-1234567890', Accept: 'text/html' } });
  const { text } = await read(linkOf(bed, approval));
  expect(text).toContain('X-Api-Key Hidden: [redacted]');
  expect(text).toContain('Hidden from this page');
  expect(text).toContain('headers.X-Api-Key');
  expect(text).not.toContain('k-1234567890');
});

test('a value that equals the default of its input is marked as the default', async () => {
  const approval = await anApprovalOf(bed, { method: 'POST', url: 'https://example.com', timeout: 30, followRedirects: true });
  const { text } = await read(linkOf(bed, approval));
  expect(text).toContain('url https://example.com timeout 30 default followRedirects true Why');
});

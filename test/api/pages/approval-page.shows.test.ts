import { createApiKey } from '../../../commands/create-api-key.ts';
import { previewInput } from '../../../domain/preview-input.ts';
import { anApproval, anApprovalOf, linkOf, openPages, type PageBed, read } from './page-bed.ts';
import { anAccount, aPolicy, SLACK } from './page-states.ts';

let bed: PageBed;
beforeAll(async () => {
  bed = await openPages();
}, 120_000);
afterAll(() => bed?.close());

test('the page says in plain words what will run, where, as whom, why it is held and how long there is', async () => {
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
  expect(text).toContain(
    'The API key “Backend” asks to run Send request on HTTP in the workspace Default , for the end user Ada Lovelace .',
  );
  expect(text).toContain('orders-api.send_request');
  expect(text).toContain('End user Ada Lovelace user_42');
  expect(text).toContain('Policy: Outgoing requests amount body.total is 1250, at least 1000');
  expect(text).toContain('Asked less than a minute ago');
  expect(text).toMatch(/(59 minutes|1 hour) left/);
  expect(text).toMatch(/Until \d+ \w+ \d{4} at \d\d:\d\d UTC . If nobody decides in time, it is rejected and the action does not run./);
  expect(text).toContain(approval.id);
});

test('the page says so when the time-out expires the request, and names an agent by its MCP server', async () => {
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
  expect(text).toContain('An agent on the MCP server “Support desk” asks to run Send request');
  expect(text).toContain('If nobody decides in time, it expires and the action does not run.');
});

test('names that are gone are said to be gone', async () => {
  const gone = '00000000-0000-4000-8000-000000000000';
  const approval = await anApproval(bed, {
    requestedByType: 'api_key',
    requestedById: gone,
    policyName: null,
    integrationName: 'acme',
    integrationAlias: null,
    actionName: 'launch_rocket',
  });
  // Nothing can be asked about what is not there; it went afterwards.
  await bed.gateway.db('approvals').where({ id: approval.id }).update({ workspace_id: gone, mcp_server_id: gone });
  const { text } = await read(linkOf(bed, approval));
  expect(text).toContain('An API key that was deleted on an MCP server that was deleted asks to run launch_rocket on acme');
  expect(text).toContain('in the workspace a workspace that was deleted');
});

test.each([
  ['WORKSPACE', 'of the workspace Default'],
  ['ORGANIZATION', 'of the organization Reviewers'],
  ['USER', 'of the end user Grace'],
])('the page names the account that a call acts with, and whose it is: %s', async (scope, whose) => {
  const { org_id, workspace_id } = { org_id: bed.org.orgId, workspace_id: bed.org.workspaceId };
  const endUser = { org_id, workspace_id, external_id: `grace_${scope}`, display_name: 'Grace' };
  const [{ id: end_user_id }] = await bed.gateway.db('end_users').insert(endUser).returning('id');
  const own = { ORGANIZATION: { workspace_id: null }, WORKSPACE: {}, USER: { end_user_id } }[scope];
  const account = await anAccount(bed, { scope, ...own });
  const bound = { concernedConnectionIds: [account], connectionId: account, connectionVersion: 1 };
  const approval = await anApproval(bed, { ...SLACK, ...bound });
  expect((await read(linkOf(bed, approval))).text).toContain(`It will act with the account Acme team bot ${whose} .`);

  const says = async (change: object) => {
    await bed.gateway.db('connections').where({ id: account }).update(change);
    return (await read(linkOf(bed, approval))).text;
  };
  expect(await says({ status: 'ERROR' })).toContain('The other side refused its credentials lately; the call may fail.');
  expect(await says({ status: 'REVOKED' })).toContain('It was disconnected; the call will fail.');
  expect(await says({ status: 'ACTIVE', credentials_version: 2 })).toContain('It was connected anew since this was asked');
  await bed.gateway.db('connections').where({ id: account }).delete();
  expect((await read(linkOf(bed, approval))).text).toContain('Account An account that was deleted');
});

test('the page says what approving permits, and what the other answers lead to', async () => {
  const { text } = await read(linkOf(bed, await anApproval(bed, { timeoutSeconds: 5400 })));
  expect(text).toContain('Approve: Exactly this may run once, within 1 hour 30 minutes of your decision. Any change to it asks again.');
  expect(text).toContain('Reject: It does not run. Asking again makes a new request.');
  expect(text).toContain('Cancel: The request is withdrawn. It does not run.');
  expect(text).not.toContain('needs no new approval');
});

test('a reuse window is said for as long as the policy is as it was when it asked', async () => {
  const policy = await aPolicy(bed, { reuseWindowSeconds: 7200 });
  const approval = await anApproval(bed, { policyId: policy, policyVersion: 1 });
  const words = 'For 2 hours after that, the very same call needs no new approval: the policy says so.';
  expect((await read(linkOf(bed, approval))).text).toContain(words);
  await bed.gateway.db('approval_policies').where({ id: policy }).update({ version: 2 });
  expect((await read(linkOf(bed, approval))).text).not.toContain(words);
});

test('the risk and the version of the policy are said where there are any', async () => {
  const approval = await anApproval(bed, { policyVersion: 7, riskScore: 0.825, riskCategory: 'high' });
  expect((await read(linkOf(bed, approval))).text).toContain('Policy: Outgoing requests version 7 Risk: 0.82 of 1, high');
});

test('every value of the input stands on the page, by its name', async () => {
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

test('what is hidden is marked where it stands, and listed', async () => {
  const approval = await anApprovalOf(bed, { url: 'https://example.com', headers: { 'X-Api-Key': 'k-1234567890', Accept: 'text/html' } });
  const { text } = await read(linkOf(bed, approval));
  expect(text).toContain('X-Api-Key Hidden: [redacted]');
  expect(text).toContain('Hidden from this page');
  expect(text).toContain('headers.X-Api-Key');
  expect(text).not.toContain('k-1234567890');
});

const POLICY_ID = '11111111-1111-4111-8111-111111111111';

const PLAN = {
  type: 'mcp_code_batch_run',
  codeRunId: 'crun_1',
  intentSummary: 'Store a report and send it.',
  impactSummary: '2 calls found in the code.',
  predictedTools: [
    { tool: 'files.write_file', repeats: false, line: 9 },
    {
      tool: 'http.send_request',
      input: { url: 'https://api.example.com', headers: { Authorization: 'Bearer abcdefghijkl' } },
      repeats: true,
      line: 14,
    },
    { tool: 'clock.parse_date', input: { dateString: '2026-11-20' }, repeats: false, line: 2 },
  ],
  approvalRequiredTools: ['files.write_file', 'http.send_request'],
  approvalGroups: [
    { approvalPolicyId: POLICY_ID, approvalPolicyName: 'Outgoing requests', tools: ['http.send_request'] },
    { approvalPolicyId: 'other', approvalPolicyName: 'File writes', tools: ['files.write_file'] },
  ],
  availableApps: ['clock', 'files', 'http'],
  externalDomains: ['api.example.com'],
  storageIndicators: ['/reports/today.csv'],
  analysisConfidence: 'partial',
  dynamicSignals: ['a loop of unknown length'],
  codeHash: 'c0de',
  toolSurfaceHash: 'f00d',
};

test('the plan of a program is laid out: what for, what it does, which calls, who agrees to which, how certain', async () => {
  const { preview, redactedPaths } = previewInput(PLAN);
  const approval = await anApproval(bed, {
    inputPreview: preview,
    redactedPaths,
    policyId: POLICY_ID,
    codeRunId: 'crun_1',
    source: 'mcp_code',
  });
  const { text, html } = await read(linkOf(bed, approval));
  expect(text).toContain('asks to run a program in the workspace Default');
  expect(text).toContain('Store a report and send it.');
  expect(text).toContain('2 calls found in the code.');
  expect(text).toContain('This approval Outgoing requests http.send_request');
  expect(text).toContain('Asked separately: File writes files.write_file');
  expect(text).toContain('files.write_file needs another approval line 9 Its input is not known before it runs.');
  expect(text).toContain('http.send_request needs approval may run several times line 14 url https://api.example.com');
  expect(text).toContain('clock.parse_date line 2 dateString 2026-11-20');
  expect(text).toContain('call 2: headers.Authorization');
  expect(text).toContain('Partial Every call is known');
  for (const shown of [
    'a loop of unknown length',
    'api.example.com',
    '/reports/today.csv',
    'Apps in its reach clock files http',
    'c0de',
    'f00d',
    'crun_1',
  ]) {
    expect(text).toContain(shown);
  }
  expect(html).not.toContain('abcdefghijkl');
});

test('an input that only looks like a plan is shown as the input that it is', async () => {
  const approval = await anApprovalOf(bed, { ...PLAN, intentSummary: 'Harmless.' });
  const { text } = await read(linkOf(bed, approval));
  expect(text).toContain('asks to run Send request on HTTP');
  expect(text).toContain('type mcp_code_batch_run');
});

test('a plan that lacks everything is still a page', async () => {
  const approval = await anApproval(bed, {
    inputPreview: { type: 'mcp_code_batch_run', approvalGroups: [null, 7], predictedTools: [null] },
    codeRunId: 'crun_2',
  });
  const { status, text } = await read(linkOf(bed, approval));
  expect(status).toBe(200);
  expect(text).toContain('Dynamic Some calls are not known before it runs.');
});

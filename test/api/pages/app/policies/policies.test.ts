import { type ApiBed, openApiBed } from '../../../api-bed.ts';
import { type AppMember, aMember } from '../app-bed.ts';
import { formOf } from '../form-of.ts';

const POLICIES = '/api/v1/approval-policies';
const SEVERAL = { Accept: 'text/html' };

let bed: ApiBed;
let admin: AppMember;
beforeAll(async () => {
  bed = await openApiBed();
  admin = await aMember(bed, 'admin', { name: 'Ada' });
});
afterAll(() => bed?.close());
// Lists show the whole organization, so every test deletes its policies.
afterEach(async () => {
  for (const { id } of (await bed.api.must(200).get(POLICIES)).policies) await bed.api.must(200).delete(`${POLICIES}/${id}`);
  for (const table of ['calls', 'approvals']) await bed.gateway.db(table).delete();
});

const aPolicy = async (fields: object = {}) => (await bed.api.must(200).post(POLICIES, { name: 'Hashes', ...fields })).policy;
const stored = async (id: string) => (await bed.api.must(200).get(`${POLICIES}/${id}`)).policy;
const hash = (text: string) =>
  bed.api.post('/api/v1/actions/execute', {
    workspaceId: bed.workspaceId,
    integrationName: 'hash-encode',
    actionName: 'hash',
    input: { text },
  });

const send = (path: string, form: URLSearchParams) => admin.post(path, form as unknown as Record<string, string>, SEVERAL);

test('an empty list says so, and explains what a policy is for', async () => {
  const { text } = await admin.get('/policies');
  expect(text).toMatch(/No policies yet\. A policy decides which calls.*New policy|New policy.*No policies yet\./);
});

test('policies are listed in the order of their evaluation, with their recent decisions', async () => {
  await aPolicy({ name: 'Second <b>', priority: 20, decision: 'block' });
  await aPolicy({ name: 'First', priority: 10, decision: 'require_approval', approvalAccessMode: 'dashboard_only' });
  const shadow = await aPolicy({ name: 'Watching', mode: 'shadow', priority: 30 });
  await Promise.all(['a', 'b'].map(hash));
  const { html, text } = await admin.get('/policies');
  expect(text.indexOf('First')).toBeLessThan(text.indexOf('Second <b>'));
  expect(text).toContain('Never reached: First comes first.');
  expect(text).toContain('Shadow: it only watches');
  expect(html.match(/role="img" aria-label="Calls in the last 7 days: \d/g)).toHaveLength(3);
  expect(html).toMatch(/aria-label="Calls in the last 7 days: 2, most from/);
  expect(html).toMatch(/role="img" aria-label="Policy coverage: Read, Ask a person: 2"/);
  expect(html).toContain('aria-label="Turn off Second &lt;b&gt;"');
  expect(html).not.toContain('<b>');
  expect((await admin.get(`/policies/${shadow.id}`)).text).toMatch(/In shadow mode.*2 calls: another policy decides first\./);
});

test('policies can be filtered by name, decision and mode', async () => {
  await aPolicy({ name: 'Refunds', decision: 'block' });
  await aPolicy({ name: 'Mails', mode: 'shadow' });
  expect((await admin.get('/policies?policy=reFUND')).html).not.toContain('>Mails<');
  expect((await admin.get('/policies?decision=require_approval')).html).not.toContain('>Refunds<');
  expect((await admin.get('/policies?mode=shadow')).html).not.toContain('>Refunds<');
  expect((await admin.get('/policies?mode=shadow&decision=block')).text).toContain('Nothing matches these filters.');
});

test('a policy can be disabled, enabled and deleted; a second disabling changes nothing', async () => {
  const { id } = await aPolicy();
  expect((await admin.post(`/policies/${id}/turn-off`)).status).toBe(303);
  await admin.post(`/policies/${id}/turn-off`);
  expect((await admin.get('/policies')).text).toMatch(/Hashes is turned off\..*Off.*Turn on/);
  expect(await stored(id)).toMatchObject({ enabled: false, version: 2 });
  await admin.post(`/policies/${id}/turn-on`);
  expect(await stored(id)).toMatchObject({ enabled: true, version: 3 });
  expect((await admin.get(`/policies/${id}/delete`)).text).toMatch(/Delete Hashes\?.*Delete policy.*Keep it/);
  expect((await admin.post(`/policies/${id}/delete`)).location).toMatch(/\/app\/policies$/);
  expect((await bed.api.get(`${POLICIES}/${id}`)).status).toBe(404);
});

test('a new policy is created from the form and shown with its history', async () => {
  const form = formOf('policy', (await admin.get('/policies/new')).html);
  expect(form.getAll('approvers')).toEqual(['role:owner', 'role:admin', 'role:member']);
  form.set('name', 'Large refunds');
  form.set('amounts', 'amount >= 500 USD');
  form.set('recipients', 'press@example.com\nnot *@example.com');
  form.append('kinds', 'payment');
  form.set('timeout', '1.5');
  form.append('integrationNames', 'http');
  form.append('approvers', `user:${admin.id}`);
  const { status, location } = await send('/policies/new', form);
  expect([status, location]).toEqual([303, expect.stringMatching(/\/app\/policies\/[\w-]+$/)]);
  expect(await stored(location!.slice(-36))).toMatchObject({
    ...{ name: 'Large refunds', timeoutSeconds: 90, integrationNames: ['http'], decision: 'require_approval', mode: 'enforce' },
    rules: {
      actionCategories: ['payment'],
      amountThresholds: [{ path: 'amount', gte: 500, currency: 'USD' }],
      recipientAllowlist: ['*@example.com'],
      recipientDenylist: ['press@example.com'],
    },
    approvers: [
      { type: 'org_role', roles: ['owner', 'admin', 'member'] },
      { type: 'dashboard_user', userIds: [admin.id] },
    ],
    warnings: [],
  });
  const { text } = await admin.get(location!.slice('/app'.length));
  expect(text).toMatch(/Large refunds is created\..*History.*Version 1.*by Ada/);
});

test('a policy created by the API keeps all its fields if the unchanged form is saved', async () => {
  const policy = await aPolicy({
    ...{ name: ' Edges & "quotes" ', description: 'two\nlines', priority: 7, sources: ['mcp_code', 'rest'], workspaceId: bed.workspaceId },
    ...{
      integrationNames: ['nobody knows'],
      integrationAliases: ['a,b'],
      actionNames: [' x ', 'not y'],
      connectionStrategies: ['per_user'],
    },
    ...{
      endUserMode: 'end_user_present',
      riskMode: 'model_assisted',
      timeoutSeconds: 61,
      defaultOnTimeout: 'expire',
      reuseWindowSeconds: 1,
    },
    ...{ approvalAccessMode: 'dashboard_only', metadata: { a: ['<b>', null] }, mode: 'shadow', decision: 'notify_only' },
    rules: {
      ...{ actionCategories: [], domainAllowlist: [], recipientDenylist: ['"'], storagePathPrefixes: [] },
      amountThresholds: [{ path: 'a b', gt: 1, gte: 2, currencyPath: 'c' }],
    },
    approvers: [{ type: 'end_user' }, { type: 'org_role', roles: ['admin'] }, { type: 'dashboard_user', userIds: ['Somebody'] }],
  });
  const { html } = await admin.get(`/policies/${policy.id}`);
  const { location } = await send(`/policies/${policy.id}/save`, formOf('policy', html));
  expect(location).toMatch(new RegExp(`/policies/${policy.id}$`));
  expect(await stored(policy.id)).toEqual(policy);
  const form = formOf('policy', html);
  form.set('priority', '8');
  await send(`/policies/${policy.id}/save`, form);
  const { priority, version, updatedAt: _, ...rest } = await stored(policy.id);
  expect([priority, version]).toEqual([8, 2]);
  expect(policy).toMatchObject(rest);
});

test('invalid values are reported at their fields, and the form keeps its values', async () => {
  const { id } = await aPolicy();
  const form = formOf('policy', (await admin.get(`/policies/${id}`)).html);
  form.set('name', '');
  form.set('amounts', 'much & more');
  form.set('webhooks', 'nowhere');
  const { status, html, text } = await send(`/policies/${id}/save`, form);
  expect([status, text]).toEqual([400, expect.stringMatching(/Nothing was saved\..*Amounts has a line 1/)]);
  expect(html).toContain('much &amp; more');
  expect(html).toMatch(/<textarea id="field-amounts"[^>]*aria-invalid="true"/);
  form.set('amounts', '');
  form.set('name', 'x');
  expect((await send(`/policies/${id}/save`, form)).text).toMatch(/Nothing was saved\..*Webhooks/);
  form.set('name', '');
  form.set('webhooks', '');
  expect((await send(`/policies/${id}/save`, form)).text).toMatch(/Nothing was saved\..*Name is missing/);
  expect((await stored(id)).version).toBe(1);
});

test('a check of unsaved values against the last 7 days saves nothing', async () => {
  await Promise.all(['https://a.example', 'https://b.example', 'plain'].map(hash));
  const form = formOf('policy', (await admin.get('/policies/new')).html);
  form.set('domains', 'a.example');
  const page = await send('/policies/new/check', form);
  expect([page.status, page.text]).toEqual([
    200,
    expect.stringMatching(/Would have matched 1 of 3 calls\..*hash-encode\.hash.*No policy.*Ask a person/),
  ]);
  expect(page.html).toMatch(/name="domains"[^>]*>\na\.example</);
  form.set('domains', '');
  const part = await send('/policies/new/check?part', form);
  expect(part.text).toMatch(/^\s*Would have matched 3 of 3 calls\./);
  expect(part.html).not.toContain('<html');
  form.set('amounts', '?');
  const wrong = await send('/policies/new/check', form);
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringMatching(/Nothing was checked\..*Amounts has a line 1.*Not checked\./)]);
  expect(await bed.gateway.db('approval_policies')).toEqual([]);
});

test('calls without recorded facts cannot be judged, and the page says why', async () => {
  await hash('https://a.example');
  await bed.gateway.db('calls').update({ facts: null });
  const form = formOf('policy', (await admin.get('/policies/new')).html);
  const { text } = await send('/policies/new/check', form);
  expect(text).toMatch(/Would have matched 0 of 1 calls\..*1 can't be judged\..*1 were made before such checks were possible/);
});

test.each([
  [
    'lists nested fifty thousand deep',
    () => `{"text":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
    /Not tested.* is nested deeper than 64/,
  ],
  ['an integer that no double can hold', () => '{"text":12345678901234567890123}', /Not tested\. Input \(JSON\) text /],
])('the test of a call refuses %s as the input', async (_what, input, words) => {
  const form = formOf('policy', (await admin.get('/policies/new')).html);
  for (const [name, value] of Object.entries({ integration: 'hash-encode', action: 'hash', input: input() }))
    form.set(`test-${name}`, value);
  const { status, text } = await send('/policies/new/test?part', form);
  expect([status, text]).toEqual([200, expect.stringMatching(words)]);
});

test.each([
  ['{"text":"https://a.example"}', 'hash', /It matches: a person is asked\..*Domain: a domain is on the denylist\./],
  ['{"text":"plain"}', 'hash', /It doesn't match.*Domain: doesn’t apply, the input names no domain\./],
  ['{', 'hash', /Not tested\. Input \(JSON\) must be a JSON object\./],
  ['[]', 'hash', /Not tested\. Input \(JSON\)/],
  ['{}', '', /Not tested\. Action is missing\./],
  ['{}', 'x'.repeat(300), /It doesn't match|Not tested/],
])('the test of a call with the input %s shows the outcome or the error', async (input, action, words) => {
  const { id } = await aPolicy({ rules: { domainDenylist: ['a.example'] } });
  const form = formOf('policy', (await admin.get(`/policies/${id}`)).html);
  for (const [name, value] of Object.entries({ integration: 'hash-encode', action, input })) form.set(`test-${name}`, value);
  const { status, text } = await send(`/policies/${id}/test`, form);
  expect([status, text]).toEqual([200, expect.stringMatching(words)]);
});

test('the history names the author and the changed fields of each version', async () => {
  const { id } = await aPolicy();
  const form = formOf('policy', (await admin.get(`/policies/${id}`)).html);
  form.set('name', 'Hashes & more');
  await send(`/policies/${id}/save`, form);
  expect((await admin.get(`/policies/${id}`)).text).toMatch(
    /Version 2.*now.*by Ada.*What changed in version 2.*name.*Hashes.*Hashes & more.*Version 1.*by an API key.*Return to version 1/,
  );
  expect((await admin.post(`/policies/${id}/versions/1/restore`)).status).toBe(303);
  expect((await admin.get(`/policies/${id}`)).text).toMatch(/Hashes is as it was in version 1\..*Version 3.*returned to version 1/);
  for (const version of ['4', '0', 'x', '99999999999'])
    expect((await admin.post(`/policies/${id}/versions/${version}/restore`)).status).toBe(404);
});

test('the first webhook of a policy shows its secret once', async () => {
  const form = formOf('policy', (await admin.get('/policies/new')).html);
  form.set('name', 'Told');
  form.set('webhooks', 'https://hooks.example.com/approvals');
  const { html, text } = await send('/policies/new', form);
  expect(text).toMatch(/Copy it now.*signing secret/);
  const secret = /value="(whsec_[^"]+)"/.exec(html)![1]!;
  expect((await admin.get('/policies')).html).not.toContain(secret);
});

test('a member without permission to change a policy sees its fields and history without a form', async () => {
  const { id } = await aPolicy({ rules: { domainDenylist: ['evil.example'] } });
  const viewer = await aMember(bed, 'viewer');
  const { html, text } = await viewer.get(`/policies/${id}`);
  expect(text).toMatch(/Hashes.*Self-approvable: it names no person.*Decision\s+Ask a person.*Domains\s+evil\.example.*History/);
  expect(html).not.toMatch(/id="policy"|Test a call|Return to version/);
  expect((await viewer.get('/policies')).html).not.toMatch(/New policy|Turn off|\/delete/);
});

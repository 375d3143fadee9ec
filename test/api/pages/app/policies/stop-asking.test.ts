import { type ApiBed, openApiBed } from '../../../api-bed.ts';
import { type AppMember, aMember } from '../app-bed.ts';
import { formOf } from '../form-of.ts';

const POLICIES = '/api/v1/approval-policies';

let bed: ApiBed;
let admin: AppMember;
beforeAll(async () => {
  bed = await openApiBed();
  admin = await aMember(bed, 'admin', { name: 'Ada' });
});
afterAll(() => bed?.close());

const approvers = [{ type: 'org_role', roles: ['admin'] }];

const ask = (text: string) => askFor('hash-encode', 'hash', { text });

async function askFor(integrationName: string, actionName: string, input: object): Promise<string> {
  const call = { workspaceId: bed.workspaceId, integrationName, actionName, input };
  return (await bed.api.must(202).post('/api/v1/actions/execute', call)).approval.id;
}

const decide = async (id: string, decision: string) => expect((await admin.post(`/approvals/${id}/decide`, { decision })).status).toBe(303);

test('after twenty approvals in a row, the page offers a narrower shadow policy', async () => {
  const { policy } = await bed.api.must(200).post(POLICIES, { name: 'Hashes', actionNames: ['hash'], approvers });
  for (let i = 0; i < 19; i++) await decide(await ask(`https://a.example/${i}`), 'approve');
  expect((await admin.get(`/policies/${policy.id}`)).text).not.toContain('Stop asking me');
  expect((await admin.get(`/policies/${policy.id}/stop-asking`)).status).toBe(404);
  await decide(await ask('https://a.example/19'), 'approve');
  expect((await admin.get(`/policies/${policy.id}`)).text).toMatch(/Stop asking me.*You said yes 20 times in a row to hash-encode\.hash\./);

  const read = await admin.get(`/policies/${policy.id}/stop-asking`);
  expect(read.text).toContain('asks in all workspaces. Before you turn it off, make a policy like it for each other workspace.');
  expect(read.text).toMatch(/another domain than a\.example.*Last 7 days.*Would have matched 0 of 20 calls\..*for 20 calls\./);
  await decide(await ask('https://b.example'), 'approve');
  const draft = /name="draft" value="([^"]*)"/.exec(read.html)![1]!.replaceAll('&quot;', '"');
  const stale = await admin.post(`/policies/${policy.id}/stop-asking`, { draft });
  expect([stale.status, stale.text]).toEqual([
    409,
    expect.stringMatching(/Nothing was saved\..*another domain than a\.example, b\.example/),
  ]);

  const fresh = /name="draft" value="([^"]*)"/.exec(stale.html)![1]!.replaceAll('&quot;', '"');
  const { location } = await admin.post(`/policies/${policy.id}/stop-asking`, { draft: fresh });
  const made = (await bed.api.must(200).get(`${POLICIES}/${location!.slice(-36)}`)).policy;
  expect(made).toMatchObject({
    ...{
      workspaceId: bed.workspaceId,
      name: 'Hashes: only what is new',
      mode: 'shadow',
      priority: 99,
      decision: 'require_approval',
      actionNames: ['hash'],
      approvers,
    },
    rules: { domainAllowlist: ['a.example', 'b.example'], recipientAllowlist: [], storagePathPrefixes: ['/'] },
  });
  expect((await bed.api.must(200).get(`${POLICIES}/${policy.id}`)).policy).toEqual(policy);
  await ask('https://a.example/again');
  expect((await admin.get(`/policies/${policy.id}`)).text).not.toContain('Stop asking me');
  expect(formOf('policy', (await admin.get(`/policies/${made.id}`)).html).get('domains')).toBe('not a.example\nnot b.example');
});

test('no narrower policy is offered after a rejection, to a viewer or for several actions', async () => {
  for (const { id } of (await bed.api.must(200).get(POLICIES)).policies) await bed.api.must(200).delete(`${POLICIES}/${id}`);
  const { policy } = await bed.api.must(200).post(POLICIES, { name: 'All of it', integrationNames: ['hash-encode'], approvers });
  for (let i = 0; i < 20; i++) await decide(await ask(`https://c.example/${i}`), 'approve');
  expect((await admin.get(`/policies/${policy.id}`)).text).not.toContain('Stop asking me');
  await bed.api.must(200).delete(`${POLICIES}/${policy.id}`);

  const { policy: one } = await bed.api.must(200).post(POLICIES, { name: 'One', actionNames: ['hash'], approvers });
  for (let i = 0; i < 20; i++) await decide(await ask(`https://d.example/${i}`), 'approve');
  const offered = async (member: AppMember) => (await member.get(`/policies/${one.id}`)).text.includes('Stop asking me');
  expect([await offered(admin), await offered(await aMember(bed, 'viewer'))]).toEqual([true, false]);
  await decide(await ask('https://d.example/no'), 'reject');
  expect(await offered(admin)).toBe(false);
});

test('approvals of HTTP requests count, even of PUT requests with long texts', async () => {
  const { policy } = await bed.api.must(200).post(POLICIES, { name: 'Web', integrationNames: ['http'], approvers });
  for (let i = 0; i < 20; i++) {
    const input = { method: 'PUT', url: `http://127.0.0.1:9/reports/${i}`, body: { amount: i, text: 'long '.repeat(20) } };
    await decide(await askFor('http', 'send_request', input), 'approve');
  }
  const { text } = await admin.get(`/policies/${policy.id}/stop-asking`);
  const input = { method: 'PUT', url: 'http://127.0.0.1:9/reports', body: { amount: 1, text: 'short' } };
  await bed.api.must(200).post(`/api/v1/approvals/${await askFor('http', 'send_request', input)}/approve`, {});
  expect((await admin.get(`/policies/${policy.id}`)).text).toMatch(/API key \w.*, You said yes 21 times in a row to http\.send_request\./);
  expect(text).toMatch(
    /another domain than 127\.0\.0\.1.*a call that names a path.*body\.amount above 19.*timeout above 30.*Would have matched 0 of \d+ calls\./,
  );
});

import { deleteOldFacts } from '../../commands/policies/delete-old-facts.ts';
import type { Db } from '../../infra/database.ts';
import { patientDatabase } from '../support/patient-database.ts';
import { system } from '../support/system.ts';
import { aPolicy, aServer, aTenant, type Tenant } from '../support/tenant.ts';

let db: Db;
let tenant: Tenant;
beforeAll(async () => {
  db = patientDatabase((await system()).databaseUrl);
});
beforeEach(async () => {
  tenant = await aTenant();
});
afterAll(() => db?.destroy());

const hash = (text: string, headers: Record<string, string> = {}) =>
  tenant.api.post(
    '/api/v1/actions/execute',
    { workspaceId: tenant.workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text } },
    headers,
  );
const factsOf = (table: 'calls' | 'approvals') =>
  db(table)
    .where({ org_id: tenant.orgId })
    .orderBy(table === 'calls' ? 'started_at' : 'created_at')
    .pluck('facts');
const decision = (decision: string) => aPolicy(tenant, { decision });
const FACTS = { strategy: 'fixed', category: 'read', hosts: { found: ['example.com'] }, values: expect.objectContaining({ text: '~' }) };

test('the record of a direct call has its facts, and the policy that decided the call', async () => {
  expect((await hash('https://example.com')).status).toBe(200);
  const let1 = await decision('auto_approve');
  expect((await hash('https://example.com')).status).toBe(200);
  const block = await decision('block');
  expect((await hash('https://example.com')).status).toBe(403);
  const [free, passed, blocked] = await factsOf('calls');
  expect(free).toMatchObject({ policiesVersion: expect.any(Number), ...FACTS });
  expect(free).not.toHaveProperty('decidedBy');
  expect(passed).toMatchObject({ ...FACTS, decidedBy: { policyId: let1.id, version: 1, decision: 'auto_approve' } });
  expect(blocked).toMatchObject({ ...FACTS, decidedBy: { policyId: block.id, version: 1, decision: 'block' } });
  expect(blocked.policiesVersion).toBe(free.policiesVersion + 2);
  expect(await factsOf('approvals')).toEqual([null]);
});

test('the facts of a held call are stored with its approval until the call has its own record', async () => {
  const { id } = await decision('require_approval');
  const { body } = await hash('https://example.com');
  expect(await factsOf('approvals')).toEqual([
    expect.objectContaining({ ...FACTS, decidedBy: { policyId: id, version: 1, decision: 'require_approval' } }),
  ]);
  expect(await factsOf('calls')).toEqual([]);
  await tenant.api.must(200).post(`/api/v1/approvals/${body.approval.id}/approve`);
  expect((await hash('https://example.com')).status).toBe(200);
  expect(await factsOf('calls')).toEqual([
    expect.objectContaining({ decidedBy: { policyId: id, version: 1, decision: 'require_approval' } }),
  ]);
});

test('each call of a code run has facts, except a call with an invalid input', async () => {
  const { id } = await aServer(tenant, 'CODE', ['hash-encode']);
  const block = await aPolicy(tenant, { decision: 'block', rules: { domainDenylist: ['evil.example'] } });
  const code = `await svc.hash_encode.hash({ text: 'https://example.com' });
    for (const input of [{ text: 'https://evil.example' }, { text: 5 }]) await svc.hash_encode.hash(input).catch(() => 0);`;
  const said = await tenant.api
    .must(200)
    .post(`/api/v1/mcp/servers/${id}/execute-code`, { code: code.replaceAll('svc.hash_encode', "svc['hash-encode']") });
  expect(said.structuredContent.status).toBe('executed');
  expect(await factsOf('calls')).toEqual([
    expect.objectContaining(FACTS),
    expect.objectContaining({ decidedBy: { policyId: block.id, version: 1, decision: 'block' }, hosts: { found: ['evil.example'] } }),
    null,
  ]);
});

test('a run with hostile text is executed, and the facts of a call have at most 2000 characters', async () => {
  const { id } = await aServer(tenant, 'CODE', ['hash-encode']);
  const texts = ['\0https://\0.example', '\ud800@example.com', `https://${'a'.repeat(70_000)}.example`, '\u202ehttps://e\u200bvil.example'];
  const code = `for (const text of ${JSON.stringify(texts)}) await svc['hash-encode'].hash({ text }).catch(() => 0);`;
  const said = await tenant.api.must(200).post(`/api/v1/mcp/servers/${id}/execute-code`, { code });
  expect(said.structuredContent.status).toBe('executed');
  const facts = (await factsOf('calls')).filter(Boolean);
  expect(facts.length).toBeGreaterThanOrEqual(2);
  for (const one of facts) expect(JSON.stringify(one).length).toBeLessThanOrEqual(2000);
});

test('facts are deleted after thirty days, and the record of the call stays', async () => {
  await hash('https://example.com');
  await decision('require_approval');
  await hash('https://example.com');
  await hash('https://example.org');
  await db('calls')
    .where({ org_id: tenant.orgId })
    .update({ started_at: db.raw("now() - interval '31 days'") });
  await db('approvals')
    .where({ org_id: tenant.orgId })
    .limit(1)
    .update({ created_at: db.raw("now() - interval '29 days'") });
  expect(await deleteOldFacts({ db })).toBeGreaterThanOrEqual(1);
  expect(await factsOf('calls')).toEqual([null]);
  expect((await factsOf('approvals')).filter(Boolean)).toHaveLength(2);
});

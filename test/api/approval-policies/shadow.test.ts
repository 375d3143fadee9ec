import fc from 'fast-check';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { aStranger } from '../end-users/end-user-bed.ts';

const POLICIES = '/api/v1/approval-policies';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed?.close());

let workspaces = 0;
async function aWorkspace() {
  const slug = `shadow-${++workspaces}`;
  const { workspace } = await bed.api.must(201).post('/api/v1/workspaces', { name: slug, slug });
  const workspaceId: string = workspace.id;
  return {
    workspaceId,
    hash: (text: string) =>
      bed.api.post('/api/v1/actions/execute', { workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text } }),
    aPolicy: async (fields: object) => (await bed.api.must(200).post(POLICIES, { name: 'x', workspaceId, ...fields })).policy,
    shadow: ({ id }: { id: string }, query = '') => bed.api.must(200).get(`${POLICIES}/${id}/shadow${query}`),
  };
}

const DECISIONS = ['block', 'require_approval', 'notify_only', 'auto_approve'] as const;

test.each(DECISIONS)('a shadow policy only records that it would have decided %s', async (decision) => {
  const it = await aWorkspace();
  const policy = await it.aPolicy({ mode: 'shadow', decision });
  expect(policy.mode).toBe('shadow');
  const { status, body } = await it.hash('x');
  expect([status, body.success]).toEqual([200, true]);
  expect(await bed.patient('approvals').where({ workspace_id: it.workspaceId })).toEqual([]);
  const others = bed.patient('activity').where({ workspace_id: it.workspaceId }).whereNot('type', 'like', 'policy.%');
  expect(await others.pluck('type')).toEqual(['workspace.created']);
  const [call] = await bed.patient('calls').where({ workspace_id: it.workspaceId });
  expect(call.facts.shadow).toEqual([{ policyId: policy.id, version: 1, would: decision }]);
  expect(await it.shadow(policy)).toEqual({
    matched: 1,
    byDecision: [{ would: decision, calls: 1 }],
    examples: [
      {
        ...{ callId: call.id, approvalId: null, at: call.started_at.toISOString() },
        ...{ integrationName: 'hash-encode', actionName: 'hash', was: 'allow', would: decision },
      },
    ],
  });
});

test("a shadow policy records 'none' if another policy decides first", async () => {
  const it = await aWorkspace();
  const behind = await it.aPolicy({ mode: 'shadow', decision: 'block', priority: 9 });
  const ahead = await it.aPolicy({ mode: 'shadow', decision: 'auto_approve', priority: 1 });
  await it.aPolicy({ decision: 'require_approval', priority: 5, approvalAccessMode: 'dashboard_only' });
  expect((await it.hash('x')).status).toBe(202);
  expect(await it.shadow(behind)).toMatchObject({ matched: 1, byDecision: [{ would: 'none', calls: 1 }] });
  expect(await it.shadow(ahead)).toMatchObject({
    examples: [{ callId: null, approvalId: expect.any(String), was: 'require_approval', would: 'auto_approve' }],
  });
});

test('the shadow record contains only matching calls of the requested period', async () => {
  const it = await aWorkspace();
  const policy = await it.aPolicy({ mode: 'shadow', rules: { domainDenylist: ['a.example'] } });
  await it.hash('https://b.example');
  await it.hash('https://a.example');
  expect((await it.shadow(policy)).matched).toBe(1);
  await bed
    .patient('calls')
    .where({ workspace_id: it.workspaceId })
    .update({ started_at: bed.patient.raw("now() - interval '8 days'") });
  expect((await it.shadow(policy)).matched).toBe(0);
  expect((await it.shadow(policy, '?days=30')).matched).toBe(1);
});

test("a shadow policy records 'unknown' instead of asking the risk model", async () => {
  const it = await aWorkspace();
  const policy = await it.aPolicy({ mode: 'shadow', riskMode: 'model_assisted', approvalAccessMode: 'dashboard_only' });
  expect(policy.warnings).toEqual([expect.stringMatching(/^Shadow: the risk model is not asked/)]);
  expect((await it.hash('x')).status).toBe(200);
  expect(await it.shadow(policy)).toMatchObject({ byDecision: [{ would: 'unknown', calls: 1 }] });
});

test('a changed mode applies to the next call and keeps the shadow record', async () => {
  const it = await aWorkspace();
  const policy = await it.aPolicy({ mode: 'shadow', decision: 'block' });
  expect((await it.hash('x')).status).toBe(200);
  await bed.api.must(200).patch(`${POLICIES}/${policy.id}`, { mode: 'enforce' });
  expect((await it.hash('x')).status).toBe(403);
  await bed.api.must(200).patch(`${POLICIES}/${policy.id}`, { mode: 'shadow' });
  expect((await it.hash('x')).status).toBe(200);
  expect((await it.shadow(policy)).matched).toBe(2);
});

test('shadow policies never change the status of an answer', async () => {
  const it = await aWorkspace();
  const host = fc.constantFrom('a.example', 'b.example');
  const rules = fc.oneof(
    fc.constant({}),
    fc.record({ domainDenylist: fc.array(host, { maxLength: 2 }) }),
    fc.record({ domainAllowlist: fc.array(host, { maxLength: 2 }) }),
    fc.constant({ amountThresholds: [{ path: 'text', gte: 1 }], actionCategories: ['read'] }),
  );
  const shadow = fc.record({
    decision: fc.constantFrom(...DECISIONS),
    priority: fc.integer({ min: 0, max: 20 }),
    riskMode: fc.constantFrom('rules', 'always', 'model_assisted'),
    rules,
  });
  await it.aPolicy({ decision: 'block', priority: 10, rules: { domainDenylist: ['a.example'] } });
  const answers = async () =>
    Promise.all(['https://a.example', 'https://b.example', '5'].map(async (text) => (await it.hash(text)).status));
  await fc.assert(
    fc.asyncProperty(fc.array(shadow, { maxLength: 4 }), async (all) => {
      const made = await Promise.all(all.map((fields) => it.aPolicy({ ...fields, mode: 'shadow' })));
      expect(await answers()).toEqual([403, 200, 200]);
      await Promise.all(made.map(({ id }) => bed.api.must(200).delete(`${POLICIES}/${id}`)));
    }),
    { numRuns: 20 },
  );
  expect(await bed.patient('approvals').where({ workspace_id: it.workspaceId })).toEqual([]);
});

test('another organization cannot read the shadow record', async () => {
  const it = await aWorkspace();
  const policy = await it.aPolicy({ mode: 'shadow' });
  const stranger = await aStranger(bed);
  expect((await stranger.api.get(`${POLICIES}/${policy.id}/shadow`)).status).toBe(404);
});

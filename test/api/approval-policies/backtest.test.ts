import { type ApiBed, openApiBed } from '../api-bed.ts';
import { checkedCaller } from '../checked-caller.ts';
import { aStranger } from '../end-users/end-user-bed.ts';

const POLICIES = '/api/v1/approval-policies';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed?.close());

let workspaces = 0;
async function aWorkspace() {
  const slug = `lab-${++workspaces}`;
  const { workspace } = await bed.api.must(201).post('/api/v1/workspaces', { name: slug, slug });
  const workspaceId: string = workspace.id;
  return {
    workspaceId,
    hash: (text: unknown, more: object = {}) =>
      bed.api.post('/api/v1/actions/execute', {
        workspaceId,
        integrationName: 'hash-encode',
        actionName: 'hash',
        input: { text },
        ...more,
      }),
    aPolicy: async (fields: object) => (await bed.api.must(200).post(POLICIES, { name: 'x', workspaceId, ...fields })).policy,
    backtest: (body: object) => bed.api.must(200).post(`${POLICIES}/backtest`, { workspaceId, ...body }),
  };
}

const deny = (host: string, more: object = {}) => ({ rules: { domainDenylist: [host] }, ...more });

test('a backtest of a draft returns the number of matched calls, the decisions, and example calls', async () => {
  const it = await aWorkspace();
  for (const host of ['a.example', 'a.example', 'b.example']) await it.hash(`https://${host}`);
  const tried = await it.backtest({ policy: deny('a.example') });
  expect(tried).toMatchObject({
    ...{ total: 3, matched: 2, unjudged: 0, unjudgedReasons: [], isCut: false },
    byDecision: { block: 0, require_approval: 2, notify_only: 0, auto_approve: 0, allow: 1 },
    decisions: [
      { was: 'allow', would: 'require_approval', calls: 2 },
      { was: 'allow', would: 'allow', calls: 1 },
    ],
  });
  const ids = await bed.patient('calls').where({ workspace_id: it.workspaceId }).orderBy('started_at', 'desc').pluck('id');
  expect(tried.examples).toEqual(
    ids.slice(1).map((callId) => ({
      ...{ callId, approvalId: null, at: expect.any(String), integrationName: 'hash-encode', actionName: 'hash' },
      ...{ was: 'allow', would: 'require_approval' },
    })),
  );
  expect(JSON.stringify(tried)).not.toContain('a.example');
});

test('pending and rejected calls count too; a call that ran after its approval counts once', async () => {
  const it = await aWorkspace();
  await it.aPolicy({ approvalAccessMode: 'dashboard_only' });
  const held = (await it.hash('held')).body.approval;
  const refused = (await it.hash('refused')).body.approval;
  const ran = (await it.hash('ran')).body.approval;
  await bed.api.must(200).post(`/api/v1/approvals/${refused.id}/reject`);
  await bed.api.must(200).post(`/api/v1/approvals/${ran.id}/approve`);
  expect((await it.hash('ran')).status).toBe(200);
  const tried = await it.backtest({ policy: { decision: 'block', priority: 1 } });
  expect(tried).toMatchObject({ total: 3, matched: 3, decisions: [{ was: 'require_approval', would: 'block', calls: 3 }] });
  expect(tried.examples.map((one: { callId: unknown; approvalId: string }) => [one.callId !== null, one.approvalId])).toEqual([
    [true, ran.id],
    [false, refused.id],
    [false, held.id],
  ]);
});

test('each call is judged by the policies that applied at its time', async () => {
  const it = await aWorkspace();
  const first = await it.aPolicy(deny('a.example', { decision: 'block' }));
  await it.hash('https://a.example');
  await bed.api.must(200).patch(`${POLICIES}/${first.id}`, { decision: 'auto_approve' });
  await it.hash('https://a.example');
  const second = await it.aPolicy(deny('a.example', { priority: 1, decision: 'notify_only', approvers: [] }));
  await it.hash('https://a.example');
  await bed.api.must(200).delete(`${POLICIES}/${first.id}`);
  await it.hash('https://b.example');
  const replaced = await it.backtest({ policyId: second.id, changes: { description: 'another' } });
  // The replacement also applies to the calls before the policy's creation.
  expect(replaced.decisions).toEqual([
    { was: 'block', would: 'notify_only', calls: 1 },
    { was: 'notify_only', would: 'notify_only', calls: 1 },
    { was: 'auto_approve', would: 'notify_only', calls: 1 },
    { was: 'allow', would: 'allow', calls: 1 },
  ]);
  const later = await it.backtest({ policy: { decision: 'auto_approve', priority: 9999 } });
  expect(later.decisions).toEqual([
    ...['block', 'notify_only', 'auto_approve'].map((one) => ({ was: one, would: one, calls: 1 })),
    { was: 'allow', would: 'auto_approve', calls: 1 },
  ]);
});

test('a backtest can replace a policy: disable it, narrow it, or use a new policy instead', async () => {
  const it = await aWorkspace();
  const { id: policyId } = await it.aPolicy({ decision: 'block' });
  await it.hash('https://a.example');
  await it.hash('https://b.example');
  const decisions = async (body: object) => (await it.backtest({ policyId, ...body })).decisions;
  expect(await decisions({ changes: { enabled: false } })).toEqual([{ was: 'block', would: 'allow', calls: 2 }]);
  const narrowed = [
    { was: 'block', would: 'block', calls: 1 },
    { was: 'block', would: 'allow', calls: 1 },
  ];
  expect(await decisions({ changes: deny('a.example') })).toEqual(narrowed);
  expect(await decisions({ policy: deny('b.example', { decision: 'block' }) })).toEqual(narrowed);
  expect(await decisions({ policy: { mode: 'shadow', decision: 'notify_only' } })).toEqual([
    { was: 'block', would: 'notify_only', calls: 2 },
  ]);
});

test('a draft that comes after the deciding policy matches the call but changes no decision', async () => {
  const it = await aWorkspace();
  await it.aPolicy({ decision: 'block', priority: 1 });
  await it.hash('x');
  expect(await it.backtest({ policy: { priority: 2 } })).toMatchObject({
    ...{ matched: 1, decisions: [{ was: 'block', would: 'block', calls: 1 }] },
    examples: [{ was: 'block', would: 'block' }],
  });
});

test('a call counts as unjudged if a fact for the policy is missing', async () => {
  const it = await aWorkspace();
  await it.hash(`https://a.example ${'x'.repeat(20_000)}`);
  await it.hash('https://b.example');
  await it.hash('password=hunter2@b.example');
  await it.hash('no facts');
  const last = bed.patient('calls').select('id').where({ workspace_id: it.workspaceId }).orderBy('started_at', 'desc').limit(1);
  await bed.patient('calls').whereIn('id', last).update({ facts: null });
  const byHost = await it.backtest({ policy: deny('b.example') });
  expect(byHost).toMatchObject({ total: 4, matched: 1, unjudged: 3 });
  expect(byHost.unjudgedReasons).toEqual(
    expect.arrayContaining([
      { reason: 'too_large', calls: 1 },
      { reason: 'hidden', calls: 1 },
      { reason: 'no_facts', calls: 1 },
    ]),
  );
  expect(await it.backtest({ policy: { rules: { actionCategories: ['read'] } } })).toMatchObject({ matched: 3, unjudged: 1 });
  expect(await it.backtest({ policy: { riskMode: 'model_assisted' } })).toMatchObject({ matched: 0, unjudged: 4 });
});

test('`days` limits the age of the calls; a backtest changes nothing', async () => {
  const it = await aWorkspace();
  await it.hash('old');
  await bed
    .patient('calls')
    .where({ workspace_id: it.workspaceId })
    .update({ started_at: bed.patient.raw("now() - interval '8 days'") });
  await it.hash('new');
  const before = await bed.patient('activity').count();
  expect(await it.backtest({ policy: {} })).toMatchObject({ total: 1, matched: 1 });
  expect(await it.backtest({ policy: {}, days: 30 })).toMatchObject({ total: 2, matched: 2 });
  expect(await it.backtest({ policy: {}, days: 1 })).toMatchObject({ total: 1 });
  expect(await bed.patient('activity').count()).toEqual(before);
  expect(await bed.patient('approval_policies').where({ workspace_id: it.workspaceId })).toEqual([]);
});

test.each<[string, object]>([
  ['neither policy nor changes', {}],
  ['both a policy and changes', { policy: {}, changes: { priority: 1 } }],
  ['changes without a policy', { changes: { priority: 1 } }],
  ['no change', { policyId: '22222222-2222-4222-8222-222222222222', changes: {} }],
  ['too many days', { policy: {}, days: 31 }],
  ['zero days', { policy: {}, days: 0 }],
  ['an unknown field', { policy: {}, week: 1 }],
])('a backtest is refused: %s', async (_, body) => {
  const { status, body: said } = await bed.api.post(`${POLICIES}/backtest`, body);
  expect([status, said.code]).toEqual([400, 'VALIDATION_ERROR']);
});

test('a key sees only calls of its workspaces, and none of another organization', async () => {
  const [mine, other] = [await aWorkspace(), await aWorkspace()];
  await mine.hash('x');
  await other.hash('x');
  const { plainKey } = await bed.api
    .must(200)
    .post('/api/v1/api-keys', { name: 'k', permissions: { scope: 'workspace', workspaceIds: [mine.workspaceId] } });
  const caller = checkedCaller(bed.apiUrl, plainKey);
  expect(await caller.must(200).post(`${POLICIES}/backtest`, { policy: {} })).toMatchObject({ total: 1 });
  expect((await caller.post(`${POLICIES}/backtest`, { policy: {}, workspaceId: other.workspaceId })).status).toBe(403);
  const stranger = await aStranger(bed);
  expect(await stranger.api.must(200).post(`${POLICIES}/backtest`, { policy: {}, days: 30 })).toMatchObject({ total: 0 });
});

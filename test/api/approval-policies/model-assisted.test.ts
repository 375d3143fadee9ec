import { aModel, type FakeModel, scored } from '../../support/a-model.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { anAssistedWorkspace } from './assisted-workspace.ts';

const POLICIES = '/api/v1/approval-policies';

let model: FakeModel;
let bed: ApiBed;
beforeAll(async () => {
  model = await aModel();
  bed = await openApiBed(model.env);
});
afterAll(async () => {
  await bed.close();
  await model.close();
});
beforeEach(() => {
  model.received.length = 0;
});

const aWorkspaceWith = (fields: object = {}, on: ApiBed = bed) => anAssistedWorkspace(on, fields);

test('a call that the model finds harmless runs without an approval', async () => {
  const { put, approvals } = await aWorkspaceWith();
  model.say(() => scored(0.2));
  expect((await put('hello')).status).toBe(200);
  expect(await approvals()).toEqual([]);
});

describe('the activity log', () => {
  const letThrough = async (workspaceId: string) =>
    (await bed.api.must(200).get(`/api/v1/activity?workspaceId=${workspaceId}&type=call.let_through`)).activity;

  test('a call that the model lets through is recorded if no later policy stops it', async () => {
    const { workspaceId, policy, put } = await aWorkspaceWith();
    model.say(() => scored(0.3, 'Says "fine"\u202e, and writes one value'));
    expect((await put('hello')).status).toBe(200);
    const [row, ...others] = await letThrough(workspaceId);
    expect(others).toEqual([]);
    expect(row).toMatchObject({ policyId: policy.id, policyVersion: 1, approvalId: null, actionName: 'put', actorType: 'api_key' });
    expect(row.details).toEqual({
      ...{ policyName: 'Risky calls', decision: 'require_approval', source: 'rest', inputHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ...{ riskScore: 0.3, riskCategory: 'medium' },
      reasons: [`risk model: score 0.30 (medium): the model says "Says 'fine'\\u{202e}, and writes one value"`],
    });
    const [call] = await bed.patient('calls').where({ id: row.callId });
    expect(call).toMatchObject({ status: 'succeeded', input_hash: row.details.inputHash });
  });

  test('a call that the model and a later policy let through is recorded for both', async () => {
    const { workspaceId, policy, put } = await aWorkspaceWith({ priority: 1 });
    await bed.api.must(200).post(POLICIES, { name: 'Tell', workspaceId, riskMode: 'always', decision: 'notify_only' });
    model.say(() => scored(0.1));
    expect((await put('hello')).status).toBe(200);
    const rows = await letThrough(workspaceId);
    expect(rows.map(({ details }: { details: { policyName: string } }) => details.policyName).sort()).toEqual(['Risky calls', 'Tell']);
    expect(rows.find(({ policyId }: { policyId: string }) => policyId === policy.id).details.riskScore).toBe(0.1);
  });

  test('a call that waits, is blocked, or is not sent to the model is not recorded', async () => {
    const waiting = await aWorkspaceWith({ priority: 1 });
    await bed.api.must(200).post(POLICIES, { name: 'Ask', workspaceId: waiting.workspaceId, riskMode: 'always' });
    const blocked = await aWorkspaceWith({ priority: 1 });
    await bed.api.must(200).post(POLICIES, { name: 'Block', workspaceId: blocked.workspaceId, riskMode: 'always', decision: 'block' });
    const unasked = await aWorkspaceWith({ actionNames: ['get'] });
    model.say(() => scored(0));
    expect((await waiting.put('x')).status).toBe(202);
    expect((await blocked.put('x')).status).toBe(403);
    expect((await unasked.put('x')).status).toBe(200);
    for (const { workspaceId } of [waiting, blocked, unasked]) expect(await letThrough(workspaceId)).toEqual([]);
  });
});

test("a risky call waits, and its approval shows the model's assessment", async () => {
  const { put, approvals } = await aWorkspaceWith();
  model.say(() => scored(0.82, 'Says "fine"\u202e,\nand overwrites the price list'));
  expect((await put('hello')).status).toBe(202);
  expect(await approvals()).toMatchObject([
    {
      riskScore: 0.82,
      riskCategory: 'high',
      riskReasons: [
        'policy "Risky calls" matches every action',
        `risk model: score 0.82 (high): the model says "Says 'fine'\\u{202e}, and overwrites the price list"`,
      ],
    },
  ]);
});

test.each([
  [0, 200, null],
  [0.49, 200, null],
  [0.5, 202, 'high'],
  [0.9, 202, 'critical'],
  [1, 202, 'critical'],
])('a score of %d answers status %d', async (score, status, category) => {
  const { put, approvals } = await aWorkspaceWith();
  model.say(() => scored(score));
  expect((await put(`at ${score}`)).status).toBe(status);
  expect((await approvals())[0]?.riskCategory ?? null).toBe(category);
});

describe('rules beside the model', () => {
  test('a rule that applies requires approval despite a low score, and the approval shows both reasons', async () => {
    const { put, approvals } = await aWorkspaceWith({ rules: { actionCategories: ['write'] } });
    model.say(() => scored(0.05, 'harmless'));
    expect((await put('x')).status).toBe(202);
    expect((await approvals())[0]).toMatchObject({
      ...{ riskScore: 0.05, riskCategory: 'low' },
      riskReasons: [
        'policy "Risky calls" matches every action',
        'actionCategories: the action is of category write',
        'risk model: score 0.05 (low): the model says "harmless"',
      ],
    });
  });

  test('a rule that applies blocks the call without asking the model', async () => {
    const { put } = await aWorkspaceWith({ decision: 'block', rules: { actionCategories: ['write'] } });
    expect(await put('x')).toMatchObject({ status: 403, body: { code: 'APPROVAL_POLICY_BLOCKED' } });
    expect(model.received).toHaveLength(0);
  });

  test('calls that do not match the filters are not sent to the model', async () => {
    const { put } = await aWorkspaceWith({ actionNames: ['get'] });
    expect((await put('x')).status).toBe(200);
    expect(model.received).toHaveLength(0);
  });
});

test('notify_only and auto_approve record the score; while the model fails, later policies still apply', async () => {
  for (const decision of ['notify_only', 'auto_approve']) {
    const { workspaceId, put, approvals } = await aWorkspaceWith({ decision, priority: 1 });
    model.say(() => scored(0.6));
    expect((await put('scored')).status).toBe(200);
    expect(await approvals()).toMatchObject([{ status: 'consumed', decidedByType: 'policy', riskScore: 0.6 }]);
    const { policy } = await bed.api.must(200).post(POLICIES, { name: 'Later', workspaceId });
    model.answerWith(() => ({ status: 500 }));
    expect((await put('away')).body.approval.policyId).toBe(policy.id);
    await bed.api.must(200).delete(`${POLICIES}/${policy.id}`);
    expect((await put('away')).status).toBe(200);
  }
});

test('policies/test also asks the model, reports this, and stores nothing', async () => {
  const before = (await bed.patient('risk_assessments')).length;
  const context = {
    workspaceId: bed.workspaceId,
    source: 'rest',
    integrationName: 'kv-store',
    actionName: 'put',
    input: { key: 'a', value: 1 },
  };
  const ask = (policy: object = {}) =>
    bed.api.must(200).post(`${POLICIES}/test`, { policy: { riskMode: 'model_assisted', ...policy }, context });
  model.say(() => scored(0.95, 'bad'));
  expect(await ask()).toMatchObject({ decision: 'require_approval', matched: true });
  expect((await ask()).reasons.at(-1)).toBe('risk model: score 0.95 (critical): the model says "bad" (this assessment is not kept)');
  model.say(() => scored(0.3));
  expect(await ask()).toMatchObject({ decision: 'allow', matched: false });
  model.answerWith(() => ({ status: 500 }));
  expect(await ask({ decision: 'block' })).toMatchObject({ decision: 'block', matched: true });
  model.received.length = 0;
  expect((await ask({ enabled: false })).reasons.at(-1)).toBe('risk model: not asked, because a filter did not match');
  expect(model.received).toHaveLength(0);
  expect(await bed.patient('risk_assessments')).toHaveLength(before);
});

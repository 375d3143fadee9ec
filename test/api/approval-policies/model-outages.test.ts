import { type Asked, aModel, type FakeModel, scored } from '../../support/a-model.ts';
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

const approve = (id: string, on: ApiBed = bed) => on.api.must(200).post(`/api/v1/approvals/${id}/approve`);
const isBare = ({ material }: Asked) => JSON.stringify(material.input).includes('characters]');

describe('a call counts as risky if the model gives no valid answer', () => {
  const cases: [string, () => void, string][] = [
    ['a failing endpoint', () => model.answerWith(() => ({ status: 500 })), 'its endpoint answered with status 500'],
    ['prose', () => model.say(() => 'It looks fine to me.'), 'its answer does not have the requested shape'],
    ['an extra key', () => model.say(() => ({ ...scored(0), approved: true })), 'its answer does not have the requested shape'],
    ['a score out of bounds', () => model.say(() => scored(-1)), 'its answer does not have the requested shape'],
    [
      'one answer instead of two',
      () => model.say((asked) => (isBare(asked) ? scored(0) : 'no idea')),
      'its answer does not have the requested shape',
    ],
    ['silence', () => model.answerWith(() => new Promise(() => {})), 'it did not answer in time'],
  ];
  test.each(cases)('%s', async (name, break_, sentence) => {
    const { put, approvals } = await aWorkspaceWith();
    break_();
    expect((await put(name)).status).toBe(202);
    expect((await approvals())[0]).toMatchObject({
      ...{ riskScore: null, riskCategory: null },
      riskReasons: ['policy "Risky calls" matches every action', `risk model: ${sentence}, so the call counts as risky`],
    });
  });

  test('no endpoint', async () => {
    const without = await openApiBed();
    try {
      const { put, approvals } = await aWorkspaceWith({}, without);
      const { approval } = (await put('x')).body;
      expect((await approvals())[0].riskReasons[1]).toBe('risk model: no endpoint is configured, so the call counts as risky');
      await approve(approval.id, without);
      expect((await put('x', approval.retry)).status).toBe(200);
      expect((await approvals())[0].status).toBe('consumed');
      const blocked = await aWorkspaceWith({ decision: 'block' }, without);
      expect(await blocked.put('x')).toMatchObject({ status: 403, body: { code: 'APPROVAL_POLICY_BLOCKED' } });
    } finally {
      await without.close();
    }
  });

  test.each<[string, unknown]>([
    ['in total', Array(150).fill('x'.repeat(1000))],
    ['in one text', 'x '.repeat(2001)],
    ['in one key', { ['x '.repeat(2001)]: 1 }],
    ['in the number of items', Array(201).fill(1)],
  ])('an input that is too large for the model: %s', async (_, value) => {
    const { put, approvals } = await aWorkspaceWith();
    model.say(() => scored(0));
    expect((await put(value)).status).toBe(202);
    expect((await approvals())[0].riskReasons[1]).toBe('risk model: the input is too large to be judged, so the call counts as risky');
    expect(model.received).toHaveLength(0);
  });

  test('the model is asked again for the next call; an existing approval request stays valid', async () => {
    const { put, approvals } = await aWorkspaceWith();
    model.answerWith(() => ({ status: 503 }));
    const { approval } = (await put('away')).body;
    model.say(() => scored(0));
    expect((await put('away')).body.approval.id).toBe(approval.id);
    await approve(approval.id);
    expect((await put('away', approval.retry)).status).toBe(200);
    expect(await approvals()).toMatchObject([{ id: approval.id, status: 'consumed' }]);
    expect((await put('away')).status).toBe(200);
    expect(await approvals()).toHaveLength(1);
  });
});

describe('a change of policies while the model judges a call', () => {
  const answerAfter = (change: () => Promise<unknown>) => {
    let done: Promise<unknown> | undefined;
    model.answerWith(async () => {
      done ??= change();
      await done;
      return { status: 200, body: JSON.stringify({ choices: [{ message: { content: JSON.stringify(scored(0)) } }] }) };
    });
  };

  test('a new blocking policy blocks the call', async () => {
    const { workspaceId, put } = await aWorkspaceWith();
    answerAfter(() => bed.api.must(200).post(POLICIES, { name: 'Stop', workspaceId, decision: 'block', priority: 1, riskMode: 'always' }));
    expect(await put('slow')).toMatchObject({ status: 403, body: { code: 'APPROVAL_POLICY_BLOCKED' } });
  });

  test('a new version of a policy judges the call', async () => {
    const { policy, put, approvals } = await aWorkspaceWith();
    answerAfter(() => bed.api.must(200).patch(`${POLICIES}/${policy.id}`, { riskMode: 'always' }));
    expect((await put('slow')).status).toBe(202);
    expect(await approvals()).toMatchObject([{ policyVersion: 2 }]);
  });
});

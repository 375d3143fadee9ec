import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { hashCall } from '../../../commands/calls/hash-call.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import { matchCall } from '../../../commands/policies/match-call.ts';
import type { Call } from '../../../domain/call.ts';
import type { Policy } from '../../../domain/policies/policy.ts';
import { policySet } from '../../../domain/policies/policy-set.ts';
import { type Model, ModelError } from '../../../infra/model.ts';
import { type ApiBed, openApiBed } from '../../api/api-bed.ts';
import { thePolicy } from '../../support/the-policy.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed.close());

const aCall = (fields: Partial<Call> = {}): Call => ({
  ...{ orgId: bed.orgId, workspaceId: bed.workspaceId, source: 'rest', mcpServerId: null, workspaceIntegrationId: null },
  ...{ integrationName: 'kv-store', integrationAlias: 'kv-store', actionName: 'put', connectionStrategy: 'fixed', endUserId: null },
  ...{ connectionId: null, connectionVersion: null, category: 'write', input: { key: randomUUID() }, hiddenPaths: [] },
  ...{ requestedBy: { type: 'api_key', id: null }, arrivedAt: new Date(), idempotent: false },
  ...fields,
});
const assisted = (name: string, fields: Partial<Policy> = {}) =>
  thePolicy({ id: randomUUID(), orgId: bed.orgId, name, riskMode: 'model_assisted', ...fields });

function withModel(answer: (policyName: string) => Promise<number>) {
  const asked: { policy: string; timeoutMs: number }[] = [];
  const ask = async ({ material, timeoutMs }: { material: object; timeoutMs: number }) => {
    const { policy } = material as { policy: { name: string } };
    asked.push({ policy: policy.name, timeoutMs });
    return { score: await answer(policy.name), steered: false, reason: '' };
  };
  const model = { ask, close: async () => {} } as unknown as Model;
  return { gateway: { ...bed.gateway, model }, asked };
}

const decide = async (gateway: Gateway, policies: Policy[], call: Call) =>
  (await matchCall(gateway, policySet(policies), call, hashCall(call))).match?.policy.name;

test('a decision that needs no risk model sends no query to the database or to a model', async () => {
  const parts = new Proxy({} as Gateway, {
    get: (_, name) => {
      throw new Error(`asked ${String(name)}`);
    },
  });
  const elsewhere = assisted('elsewhere', { actionNames: ['get'] });
  const later = assisted('later', { priority: 200 });
  expect(await decide(parts, [elsewhere], aCall())).toBeUndefined();
  expect(await decide(parts, [elsewhere, thePolicy({ name: 'first' }), later], aCall())).toBe('first');
});

test('policies ask the model in turn until one matches, within five seconds in all', async () => {
  const { gateway, asked } = withModel((name) => setTimeout(5, name === 'two' ? 0.9 : 0.1));
  expect(await decide(gateway, [assisted('one'), assisted('two'), assisted('three')], aCall())).toBe('two');
  expect(asked.map(({ policy }) => policy)).toEqual(['one', 'one', 'two', 'two']);
  const [first, , second] = asked.map(({ timeoutMs }) => timeoutMs) as [number, number, number];
  expect(first).toBeLessThanOrEqual(5000);
  expect(second).toBeLessThan(first);
});

test('after the deadline the model is not asked, and the call counts as risky', async () => {
  const { gateway, asked } = withModel(async () => 0);
  const call = aCall();
  const { match } = await matchCall(gateway, policySet([assisted('late')]), call, hashCall(call), performance.now());
  expect(match?.reasons.at(-1)).toBe('risk model: it did not answer in time, so the call counts as risky');
  expect(asked).toEqual([]);
});

test('an assessment is reused only for the same call under the same policy version', async () => {
  const { gateway, asked } = withModel(async () => 0.7);
  const [policy, call] = [assisted('kept'), aCall()];
  const times: number[] = [];
  for (const [policies, made] of [
    [[policy], call],
    [[policy], { ...call, arrivedAt: new Date(0) }],
    [[{ ...policy, version: 2 }], call],
    [[assisted('other')], call],
    [[policy], { ...call, input: { key: 'other' } }],
    [[policy], { ...call, endUserId: 'ann' }],
  ] as [Policy[], Call][]) {
    asked.length = 0;
    expect(await decide(gateway, policies, made)).toBeDefined();
    times.push(asked.length);
  }
  expect(times).toEqual([2, 0, 2, 2, 2, 2]);
});

test('a failed assessment is reported and not reused, and any other error is thrown', async () => {
  let problem: Error | undefined = new ModelError('it is overloaded');
  const { gateway } = withModel(async () => {
    if (problem) throw problem;
    return 0;
  });
  const [policy, call] = [assisted('cold'), aCall()];
  expect((await matchCall(gateway, policySet([policy]), call, hashCall(call))).match?.reasons.at(-1)).toBe(
    'risk model: it is overloaded, so the call counts as risky',
  );
  problem = new Error('a bug');
  await expect(decide(gateway, [policy], call)).rejects.toThrow('a bug');
  problem = undefined;
  expect(await decide(gateway, [policy], call)).toBeUndefined();
});

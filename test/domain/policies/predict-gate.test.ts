import type { Policy } from '../../../domain/policies/policy.ts';
import { policySet } from '../../../domain/policies/policy-set.ts';
import { predictGate } from '../../../domain/policies/predict-gate.ts';
import { thePolicy } from '../../support/the-policy.ts';

const SUBJECT = {
  ...{ workspaceId: 'w', source: 'mcp_tools' as const, mcpServerId: 's', workspaceIntegrationId: null, connectionStrategy: null },
  ...{ integrationName: 'http', integrationAlias: 'http', actionName: 'send_request' },
};
const BOTH = [
  { ...SUBJECT, endUserId: 'ada' },
  { ...SUBJECT, endUserId: null },
];

const mcp = (fields: Partial<Policy>) => thePolicy({ sources: ['mcp_tools'], ...fields });
const LARGE = { riskMode: 'rules' as const, rules: { amountThresholds: [{ path: 'amount', gte: 5 }] } };

test.each<[string, Policy[], string]>([
  ['no policy', [], 'open'],
  ['a policy for another source', [thePolicy()], 'open'],
  ['a policy that always asks', [mcp({})], 'asks'],
  ['a policy that always blocks', [mcp({ decision: 'block' })], 'blocks'],
  ['rules about the input', [mcp(LARGE)], 'may_ask'],
  ['rules, then a policy that blocks everything', [mcp({ ...LARGE, id: 'a' }), mcp({ id: 'b', decision: 'block' })], 'may_ask'],
  ['a policy for calls of people only', [mcp({ endUserMode: 'end_user_present', decision: 'block' })], 'may_block'],
  ['an exception before a policy', [mcp({ id: 'a', decision: 'auto_approve' }), mcp({ id: 'b' })], 'open'],
  ['an exception for some inputs', [mcp({ ...LARGE, id: 'a', decision: 'auto_approve' }), mcp({ id: 'b' })], 'asks'],
])('%s', (_, policies, expected) => {
  expect(predictGate(policySet(policies), BOTH)).toBe(expected);
});

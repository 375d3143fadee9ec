import { explainPolicy } from '../../../domain/policies/explain-policy.ts';
import { judgePolicy, matchPolicies, type PolicySubject } from '../../../domain/policies/match-policies.ts';
import { comparePolicies, type Policy } from '../../../domain/policies/policy.ts';
import { policySet } from '../../../domain/policies/policy-set.ts';
import type { Assessment } from '../../../domain/policies/risk.ts';
import { thePolicy } from '../../support/the-policy.ts';

const call: PolicySubject = {
  ...{ workspaceId: 'w', source: 'rest', mcpServerId: null, workspaceIntegrationId: null, connectionStrategy: 'fixed', endUserId: null },
  ...{ integrationName: 'storage', integrationAlias: 'storage', actionName: 'delete_file', category: 'delete', input: { amount: 10 } },
};
const HIGH: Assessment = { score: 0.82, words: 'deletes the backups' };
const LOW: Assessment = { score: 0.1, words: '' };
const AWAY: Assessment = { problem: 'it did not answer in time' };

const decide = (all: Policy[], assessments: Record<string, Assessment> = {}) =>
  matchPolicies(policySet([...all].sort(comparePolicies)), call, new Map(Object.entries(assessments)));
const assisted = (fields: Partial<Policy> = {}) => thePolicy({ riskMode: 'model_assisted', ...fields });

describe('which policy decides', () => {
  test('the lowest priority wins, then the most severe decision, then the lower id', () => {
    const ask = thePolicy({ id: 'b', workspaceId: 'w' });
    const again = thePolicy({ id: 'a' });
    const block = thePolicy({ id: 'z', decision: 'block' });
    const notify = thePolicy({ id: '0', decision: 'notify_only' });
    const early = thePolicy({ id: 'x', decision: 'auto_approve', priority: 99, workspaceId: 'w' });
    const elsewhere = thePolicy({ id: '1', decision: 'block', priority: 0, workspaceId: 'v' });
    const order: string[] = [];
    for (let left = [ask, again, block, notify, early, elsewhere]; ; ) {
      const { match } = decide(left);
      if (!match) break;
      order.push(match.policy.id);
      left = left.filter(({ id }) => id !== match.policy.id);
    }
    expect(order).toEqual(['x', 'z', 'a', 'b', '0']);
  });
});

describe('riskMode model_assisted', () => {
  test('the decision waits for the risk score; a score of one half or more matches', () => {
    expect(decide([assisted()])).toEqual({ unassessed: assisted() });
    expect(decide([assisted()], { policy: LOW }).match).toBeUndefined();
    expect(decide([assisted()], { policy: { score: 0.49, words: '' } }).match).toBeUndefined();
    expect(decide([assisted()], { policy: { score: 0.5, words: '' } }).match).toBeDefined();
    expect(decide([assisted()], { policy: HIGH }).match).toMatchObject({
      reasons: ['policy "A policy" matches every action', 'risk model: score 0.82 (high): the model says "deletes the backups"'],
      risk: HIGH,
    });
  });

  test('a policy for other actions does not match; an earlier policy decides without the risk score of a later one', () => {
    expect(decide([assisted({ actionNames: ['other'] })]).match).toBeUndefined();
    expect(decide([assisted(), thePolicy({ id: 'first', priority: 1 })]).match?.policy.id).toBe('first');
  });

  test('policies that the risk model cleared are reported beside the deciding policy', () => {
    const policy = assisted({ priority: 1 });
    const cleared = [{ policy, risk: LOW }];
    expect(decide([policy], { policy: LOW })).toEqual({ match: undefined, cleared });
    expect(decide([policy, thePolicy({ id: 'later' })], { policy: LOW })).toMatchObject({ match: { policy: { id: 'later' } }, cleared });
    for (const [fields, said] of [
      [{ rules: { actionCategories: ['delete'] } }, LOW],
      [{ decision: 'notify_only', rules: { actionCategories: ['delete'] } }, LOW],
      [{ actionNames: ['other'] }, LOW],
      [{}, HIGH],
      [{}, AWAY],
    ] as [Partial<Policy>, Assessment][])
      expect(decide([assisted(fields)], { policy: said }).cleared).toEqual([]);
  });

  test('a policy matches if one of its rules fires, regardless of the risk model', () => {
    const policy = assisted({ rules: { actionCategories: ['delete'] } });
    for (const assessment of [LOW, AWAY]) expect(decide([policy], { policy: assessment }).match).toBeDefined();
    expect(decide([policy], { policy: LOW }).match?.reasons).toEqual([
      'policy "A policy" matches every action',
      'actionCategories: the action is of category delete',
      'risk model: score 0.10 (low)',
    ]);
    expect(decide([{ ...policy, decision: 'block' }]).match?.policy.decision).toBe('block');
  });

  test('without a risk score the policy matches, and the reasons say so', () => {
    expect(decide([assisted()], { policy: AWAY }).match).toMatchObject({
      reasons: ['policy "A policy" matches every action', 'risk model: it did not answer in time, so the call counts as risky'],
      risk: null,
    });
  });

  test('without a risk score, a policy that lets the call through yields to a stricter policy that comes next', () => {
    for (const decision of ['auto_approve', 'notify_only'] as const) {
      const lenient = assisted({ id: 'lenient', decision, priority: 1 });
      const strict = thePolicy({ id: 'strict' });
      const other = thePolicy({ id: 'other', decision: 'auto_approve', priority: 50 });
      const away = { lenient: AWAY };
      expect(decide([lenient, strict], away).match?.policy.id).toBe('strict');
      expect(decide([lenient], away).match?.policy.id).toBe('lenient');
      expect(decide([lenient, other, strict], away).match?.policy.id).toBe('lenient');
      expect(decide([lenient, strict], { lenient: HIGH }).match?.policy.id).toBe('lenient');
    }
  });
});

describe('the explanation', () => {
  const explain = (fields: Partial<Policy>, subject: Partial<PolicySubject> = {}, assessment?: Assessment) => {
    const policy = thePolicy({ riskMode: 'rules', ...fields });
    return explainPolicy(policy, { ...call, ...subject }, judgePolicy(policy, { ...call, ...subject }, assessment));
  };

  test('describes how each filter matched', () => {
    expect(explain({ integrationNames: ['storage', 'kv-store'], workspaceId: 'w', endUserMode: 'no_end_user' })).toEqual([
      'enabled: matched (the policy is on)',
      'workspaceId: matched (this workspace)',
      'sources: matched (rest)',
      'mcpServerIds: matched (any)',
      'workspaceIntegrationIds: matched (any)',
      'integrationNames: matched (storage)',
      'integrationAliases: matched (any)',
      'actionNames: matched (any)',
      'connectionStrategies: matched (any)',
      'endUserMode: matched (no end user is present)',
      'rules: none, so the filters alone decide',
    ]);
  });

  test.each<[Partial<Policy>, string]>([
    [{ enabled: false }, 'enabled: did not match, the policy is off'],
    [{ workspaceId: 'v' }, 'workspaceId: did not match, the policy is for another workspace'],
    [{ sources: ['trigger'] }, 'sources: did not match, the source is rest'],
    [{ mcpServerIds: ['s'] }, 'mcpServerIds: did not match, the call has no MCP server'],
    [{ workspaceIntegrationIds: ['s'] }, 'workspaceIntegrationIds: did not match, the call has no workspace integration'],
    [{ integrationNames: ['http'] }, 'integrationNames: did not match, the integration is storage'],
    [{ integrationAliases: ['files'] }, 'integrationAliases: did not match, the alias is storage'],
    [{ actionNames: ['read_file'] }, 'actionNames: did not match, the action is delete_file'],
    [{ connectionStrategies: ['per_user'] }, 'connectionStrategies: did not match, the connection strategy is fixed'],
    [{ endUserMode: 'end_user_present' }, 'endUserMode: did not match, no end user is present'],
  ])('describes what did not match: %j', (fields, sentence) => {
    const sentences = explain(fields);
    expect(sentences.filter((one) => one.includes('did not match'))).toEqual([sentence]);
    expect(sentences.at(-1)).toBe('rules: none, so the filters alone decide, and they do not match');
  });

  test('the explanation says for each rule whether it fired, even if a filter did not match', () => {
    const rules = {
      actionCategories: ['delete', 'send'] as const,
      amountThresholds: [
        { path: 'amount', gte: 500 },
        { path: 'amount', gt: 5 },
        { path: 'total', gte: 1 },
        { path: 'amount', gte: 1, currency: 'EUR', currencyPath: 'unit' },
      ],
      recipientAllowlist: ['*@example.com'],
      recipientDenylist: ['eve@*'],
      domainAllowlist: ['example.com'],
      domainDenylist: ['*.evil.com'],
      storagePathPrefixes: ['/private', '/secret'],
    } as unknown as Policy['rules'];
    const input = { amount: 10, unit: 'USD', to: 'bob@example.com', path: '/private/a' };
    expect(explain({ rules, enabled: false }, { input }).slice(10)).toEqual([
      'actionCategories: fired, the action is of category delete',
      'amountThresholds: did not fire, amount is 10, not 500 or more',
      'amountThresholds: fired, amount is more than 5',
      'amountThresholds: did not fire, the input has no total',
      'amountThresholds: did not fire, the currency is not EUR',
      'recipientAllowlist: did not fire, every recipient is on the allowlist (bob@example.com)',
      'recipientDenylist: did not fire, no recipient is on the denylist (bob@example.com)',
      'domainAllowlist: did not fire, every domain is on the allowlist (example.com)',
      'domainDenylist: did not fire, no domain is on the denylist (example.com)',
      'storagePathPrefixes: fired, a path is under /private',
    ]);
    expect(explain({ rules }, { input: {}, category: null }).slice(10)).toEqual([
      'actionCategories: did not fire, the category of this action is unknown',
      ...['amount', 'amount', 'total', 'amount'].map((path) => `amountThresholds: did not fire, the input has no ${path}`),
      'recipientAllowlist: did not fire, the call names no recipient',
      'recipientDenylist: did not fire, the call names no recipient',
      'domainAllowlist: did not fire, the input names no domain',
      'domainDenylist: did not fire, the input names no domain',
      'storagePathPrefixes: did not fire, the call names no path',
    ]);
  });

  test("the explanation shortens the caller's texts and escapes their invisible characters", () => {
    const to = Array.from({ length: 7 }, (_, index) => `${index}\u202e${'x'.repeat(200)}`);
    const [sentence] = explain({ rules: { recipientDenylist: ['eve'] } }, { input: { to } }).slice(10);
    expect(sentence).toContain('0\\u{202e}xxx');
    expect(sentence).toMatch(/… and 2 more\)$/);
    expect(sentence!.length).toBeLessThan(700);
  });

  test('the explanation says how each riskMode uses the rules and the risk model', () => {
    const rules = { actionCategories: ['send' as const] };
    expect(explain({ riskMode: 'always', rules }).at(-1)).toBe('rules: not checked, because riskMode is always');
    expect(explain({ rules: { storagePathPrefixes: [], amountThresholds: [] } }).slice(10)).toEqual([
      'amountThresholds: did not fire, its list is empty',
      'storagePathPrefixes: did not fire, its list is empty',
    ]);
    expect(explain({ riskMode: 'model_assisted', rules }, {}, HIGH).slice(10)).toEqual([
      'actionCategories: did not fire, the action is of category delete',
      'risk model: score 0.82 (high): the model says "deletes the backups" (this assessment is not kept)',
    ]);
    expect(explain({ riskMode: 'model_assisted', enabled: false }).slice(10)).toEqual([
      'rules: none',
      'risk model: not asked, because a filter did not match',
    ]);
    const blocks = { riskMode: 'model_assisted', decision: 'block', rules: { actionCategories: ['delete'] } } as Partial<Policy>;
    expect(explain(blocks).at(-1)).toBe('risk model: not asked, because a rule that fires already blocks the call');
  });
});

import { evaluateRules } from '../../../domain/policies/evaluate-rules.ts';
import { matchPolicies, type PolicySubject } from '../../../domain/policies/match-policies.ts';
import type { PolicyRules } from '../../../domain/policies/policy.ts';
import { policySet } from '../../../domain/policies/policy-set.ts';
import { thePolicy } from '../../support/the-policy.ts';

const SUBJECT: Omit<PolicySubject, 'input'> = {
  workspaceId: '00000000-0000-4000-8000-000000000001',
  source: 'rest',
  workspaceIntegrationId: null,
  mcpServerId: null,
  endUserId: null,
  integrationName: 'http',
  integrationAlias: 'http',
  actionName: 'send_request',
  connectionStrategy: 'fixed',
  category: 'write',
};

function decisionOf(decision: 'auto_approve' | 'notify_only', rules: PolicyRules, input: object) {
  const policies = policySet([
    thePolicy({ priority: 0, decision, rules, riskMode: 'rules' }),
    thePolicy({ priority: 10, decision: 'block' }),
  ]);
  return matchPolicies(policies, { ...SUBJECT, input }).match?.policy.decision;
}

test.each([
  '/PUBLIC/a',
  'c:/public/a',
  '/public./a',
  '/%70ublic/a',
  '/public/%2e%2e/secret',
  '/public/../secret',
  '/public\\..\\..\\secret',
  '\\public\\a',
  's3://bucket/public/a',
  '/ｐublic/a',
  '/pub\u200blic/a',
  ' /public/a',
])('an automatic approval for a folder does not admit the path %j', (path) => {
  for (const decision of ['auto_approve', 'notify_only'] as const)
    expect(decisionOf(decision, { storagePathPrefixes: ['/public'] }, { path })).toBe('block');
});

test('an automatic approval for a folder admits only paths in the folder', () => {
  const rules = { storagePathPrefixes: ['/Public/', '/shared'] };
  for (const input of [{ path: '/Public/a b.txt' }, { path: 'Public' }, { message: { path: '/Public/a' }, key: 'shared/x' }])
    expect(decisionOf('auto_approve', rules, input)).toBe('auto_approve');
  expect(decisionOf('auto_approve', rules, { path: '/Public/a', destination: '/etc/passwd' })).toBe('block');
});

test.each(['bob+x@ok.com', 'bob%40ok.com', 'ok.com!bob@evil.com', 'bob@ok.com, eve@evil.com', 'b\u200bob@ok.com', 'bob(x)@ok.com'])(
  'an automatic approval for bob@ok.com does not admit %j',
  (to) => {
    expect(decisionOf('auto_approve', { recipientDenylist: ['bob@ok.com'] }, { to })).toBe('block');
    expect(decisionOf('auto_approve', { recipientDenylist: ['bob@ok.com'] }, { to: 'Bob <bob@ok.com>' })).toBe('auto_approve');
  },
);

test.each(['https%3A%2F%2Fok.com', 'https://ok.com https://evil.com', 'https://ok\u200b.com'])(
  'an automatic approval for the domain ok.com does not admit %j',
  (text) => {
    expect(decisionOf('auto_approve', { domainDenylist: ['ok.com'] }, { text })).toBe('block');
    expect(decisionOf('auto_approve', { domainDenylist: ['ok.com'] }, { text: 'https://ok.com/a' })).toBe('auto_approve');
  },
);

test('a path or recipient list that is too long to check counts as a match', () => {
  expect(evaluateRules({ storagePathPrefixes: ['/x'] }, { category: null, input: { path: 'a'.repeat(8193) } })).toHaveLength(1);
  expect(evaluateRules({ recipientDenylist: ['x@y.z'] }, { category: null, input: { to: 'a@b.c,'.repeat(20_000) } })).toHaveLength(1);
});

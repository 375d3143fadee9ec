import { describeReason } from '../../../../api/pages/layout/describe-reason.ts';

const approval = { policyName: 'Big orders', integrationName: 'http', inputPreview: { body: { amount: 900, secret: '[redacted]' } } };
const say = (reason: string) => describeReason(reason, approval, { integration: 'HTTP' });

test.each([
  ['policy "Big orders" matches integration http', '"Big orders" asks about every HTTP call.'],
  ['policy "Big orders" matches integration http, action send_request', '"Big orders" asks about every call of send_request on HTTP.'],
  ['policy "Big orders" matches action send_request', '"Big orders" asks about every call of send_request.'],
  ['policy "Big orders" matches every action', '"Big orders" asks about every call.'],
  ['policy "Big orders" matches integration a or b', '"Big orders" asks about calls that match: integration a or b.'],
  ['amountThresholds: body.amount is 500 or more', 'body.amount is 900. The policy asks at 500 or more.'],
  ['amountThresholds: body.amount is more than 500', 'body.amount is 900. The policy asks at more than 500.'],
  ['amountThresholds: body.amount is not a plain number', 'Amount: body.amount is not a plain number.'],
  ['recipientAllowlist: a recipient is outside the allowlist', 'Recipient: a recipient is outside the allowlist.'],
  [
    'risk model: score 0.90 (critical): the model says "goes to /risky"',
    'risk model: score 0.90 (critical): the model says "goes to /risky"',
  ],
  ['policy "Another" matches every action', 'policy "Another" matches every action'],
  ['amountThresholds: fired, body.amount is 500 or more', 'body.amount is 900. The policy asks at 500 or more.'],
  ['amountThresholds: did not fire, body.amount is 3, not 500 or more', 'Amount: doesn’t apply, body.amount is 3, not 500 or more.'],
  ['domainDenylist: fired, a domain is on the denylist', 'Domain: a domain is on the denylist.'],
  ['recipientAllowlist: did not fire, its list is empty', 'Recipient: doesn’t apply, its list is empty.'],
  ['enabled: matched (the policy is on)', 'Policy: matches, the policy is on.'],
  ['integrationNames: matched (http)', 'Integration: matches, http.'],
  ['integrationAliases: matched (any)', 'Alias: matches, the policy accepts any.'],
  ['workspaceId: matched (any of the organization)', 'Workspace: matches, the policy applies in every workspace.'],
  ['sources: matched (mcp_code)', 'Source: matches, it comes from a program.'],
  ['sources: did not match, the source is sdk', 'Source: doesn’t match, it comes from the SDK.'],
  ['actionNames: did not match, the action is read', 'Action: doesn’t match, the action is read.'],
  ['rules: not checked, because riskMode is always', 'Rules are not looked at: the fields above decide.'],
  ['rules: none, so the filters alone decide', 'The policy has no rules: the fields above decide.'],
  [
    'the input is not valid for kv-store.put, so a call with it is refused before any policy: key: is needed',
    'kv-store.put refuses this input before any policy is asked: key: is needed.',
  ],
  ['unknownRule: fired, something', 'unknownRule: fired, something'],
])('%s', (recorded, shown) => {
  expect(say(recorded)).toBe(shown);
});

test('a value that reviewers may not see is not shown', () => {
  expect(say('amountThresholds: body.secret is 500 or more')).toBe('body.secret is over the limit. The policy asks at 500 or more.');
  expect(say('amountThresholds: items.*.price is 500 or more')).toBe('items.*.price is over the limit. The policy asks at 500 or more.');
});

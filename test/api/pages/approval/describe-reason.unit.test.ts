import { describeReason } from '../../../../api/pages/approval/describe-reason.ts';

const approval = { policyName: 'Big orders', integrationName: 'http', inputPreview: { body: { amount: 900, secret: '[redacted]' } } };
const say = (reason: string) => describeReason(reason, approval, { integration: 'HTTP' });

test.each([
  ['policy "Big orders" matches integration http', '“Big orders” asks about every HTTP call.'],
  ['policy "Big orders" matches integration http, action send_request', '“Big orders” asks about every call of send_request on HTTP.'],
  ['policy "Big orders" matches action send_request', '“Big orders” asks about every call of send_request.'],
  ['policy "Big orders" matches every action', '“Big orders” asks about every call.'],
  ['policy "Big orders" matches integration a or b', '“Big orders” asks about calls that match: integration a or b.'],
  ['amountThresholds: body.amount is 500 or more', 'body.amount is 900. The policy asks at 500 or more.'],
  ['amountThresholds: body.amount is more than 500', 'body.amount is 900. The policy asks at more than 500.'],
  ['amountThresholds: body.amount is not a plain number', 'Amount: body.amount is not a plain number.'],
  ['recipientAllowlist: a recipient is outside the allowlist', 'Recipient: a recipient is outside the allowlist.'],
  [
    'risk model: score 0.90 (critical): the model says "goes to /risky"',
    'risk model: score 0.90 (critical): the model says "goes to /risky"',
  ],
  ['policy "Another" matches every action', 'policy "Another" matches every action'],
])('%s', (recorded, shown) => {
  expect(say(recorded)).toBe(shown);
});

test('a value that reviewers may not see is not shown', () => {
  expect(say('amountThresholds: body.secret is 500 or more')).toBe('body.secret is over the limit. The policy asks at 500 or more.');
  expect(say('amountThresholds: items.*.price is 500 or more')).toBe('items.*.price is over the limit. The policy asks at 500 or more.');
});

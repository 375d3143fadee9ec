import { policyText, shownUrl } from '../../../domain/policies/policy-text.ts';
import { thePolicy } from '../../support/the-policy.ts';

test('the audit text of a policy has all its fields except the id, the organization and the times', () => {
  const {
    id: _,
    orgId: __,
    createdAt: ___,
    updatedAt: ____,
    ...fields
  } = thePolicy({
    ...{ version: 4, actionNames: Array.from({ length: 500 }, (_, number) => `action-${number}`) },
    ...{ description: 'x'.repeat(2000), rules: { recipientAllowlist: ['*@example.com'] }, approvers: [{ type: 'end_user' }] },
  });
  expect(policyText({ ...thePolicy(fields) })).toEqual(fields);
});

test.each([
  ['https://hooks.example.com/in', 'https://hooks.example.com/in'],
  ['https://hooks.example.com:8443/a/b?x=1&y=2&x=3#part', 'https://hooks.example.com:8443/a/b?x=[redacted]&y=[redacted]'],
  ['https://user:pass@hooks.example.com/', 'https://[redacted]@hooks.example.com/'],
  ['https://user@hooks.example.com/', 'https://[redacted]@hooks.example.com/'],
  ['https://hooks.slack.com/services/T0/B0/abcdefsecret#part', 'https://hooks.slack.com/services/[redacted]'],
  ['no address', '[redacted]'],
])('the webhook address %s is shown as %s', (address, shown) => {
  expect(shownUrl(address)).toBe(shown);
});

import fc from 'fast-check';
import { policyFields } from '../../../../../api/pages/app/policies/policy-fields.ts';
import { readNewPolicy, readPolicyChanges, typedOf } from '../../../../../api/pages/app/policies/policy-form.ts';
import { readAmounts, readRule } from '../../../../../api/pages/app/policies/rule-lines.ts';
import { newPolicy } from '../../../../../api/v1/approval-policies/schema.ts';
import {
  ACCESS_MODES,
  ACTION_CATEGORIES,
  CONNECTION_STRATEGIES,
  END_USER_MODES,
  POLICY_DECISIONS,
  POLICY_MODES,
  type PolicyFields,
  REVIEWER_ROLES,
  RISK_MODES,
  SOURCES,
  TIMEOUT_OUTCOMES,
} from '../../../../../domain/policies/policy.ts';

const NONE = { workspaces: new Map(), members: new Map(), viewers: new Set<string>(), servers: new Map(), integrations: new Map() };

const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
    fc.constantFrom(
      'not x',
      'NOT  y',
      '[]',
      '"quoted"',
      '{"a":1}',
      ' edge ',
      'two\nlines',
      '\u2028',
      'a,b',
      '%41',
      '#',
      'not []',
      '\u00a0',
    ),
  )
  .filter((one) => one.isWellFormed() && !one.includes('\0'));
const texts = fc.array(text, { maxLength: 4 });
const distinct = fc.uniqueArray(text, { maxLength: 4 });
const plain = text.map((one) => one.replaceAll('\r', '').trim()).filter((one) => one !== '');
const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer()).map((one) => (Object.is(one, -0) ? 0 : one));
const amount = fc
  .record({ path: text, gte: number, gt: number, currency: text, currencyPath: text }, { requiredKeys: ['path'] })
  .filter(({ gte, gt }) => gte !== undefined || gt !== undefined);
const some = <Value>(values: readonly Value[], minLength = 0) => fc.subarray([...values], { minLength });
const approvers = fc
  .record({ roles: some(REVIEWER_ROLES), userIds: distinct, endUser: fc.boolean(), urls: texts })
  .map(({ roles, userIds, endUser, urls }) => [
    ...(roles.length > 0 ? [{ type: 'org_role', roles }] : []),
    ...(userIds.length > 0 ? [{ type: 'dashboard_user', userIds }] : []),
    ...(endUser ? [{ type: 'end_user' }] : []),
    ...urls.map((webhookUrl) => ({ type: 'webhook', webhookUrl })),
  ]);

/** The API's schema drops the key `__proto__`. */
const metadataKey = fc.string().filter((key) => key !== '__proto__');

const policy = fc.record({
  workspaceId: fc.option(fc.uuid()),
  name: plain,
  description: fc.option(plain),
  enabled: fc.constant(true),
  mode: fc.constantFrom(...POLICY_MODES),
  priority: fc.integer({ min: 0, max: 10_000 }),
  sources: some(SOURCES, 1),
  mcpServerIds: fc.uniqueArray(fc.uuid(), { maxLength: 3 }),
  workspaceIntegrationIds: fc.array(fc.uuid(), { maxLength: 3 }),
  ...{ integrationNames: distinct, integrationAliases: texts, actionNames: texts },
  connectionStrategies: some(CONNECTION_STRATEGIES),
  endUserMode: fc.constantFrom(...END_USER_MODES),
  decision: fc.constantFrom(...POLICY_DECISIONS),
  riskMode: fc.constantFrom(...RISK_MODES),
  rules: fc.record(
    {
      actionCategories: some(ACTION_CATEGORIES),
      amountThresholds: fc.array(amount, { maxLength: 3 }),
      ...{ recipientAllowlist: texts, recipientDenylist: texts, domainAllowlist: texts, domainDenylist: texts, storagePathPrefixes: texts },
    },
    { requiredKeys: [] },
  ),
  approvers,
  timeoutSeconds: fc.integer({ min: 60, max: 30 * 86_400 }),
  defaultOnTimeout: fc.constantFrom(...TIMEOUT_OUTCOMES),
  reuseWindowSeconds: fc.option(fc.integer({ min: 0, max: 7 * 86_400 })),
  approvalAccessMode: fc.constantFrom(...ACCESS_MODES),
  metadata: fc.option(fc.dictionary(metadataKey, fc.jsonValue())).map((one) => JSON.parse(JSON.stringify(one))),
}) as unknown as fc.Arbitrary<PolicyFields>;

/** Returns the form as browsers send it, with CRLF line breaks. */
function sent(fields: Parameters<typeof typedOf>[0]): URLSearchParams {
  const crlf = [...typedOf(fields)].map(([name, value]): [string, string] => [name, value.replaceAll(/\r\n|\r|\n/g, '\r\n')]);
  return new URLSearchParams(crlf);
}

test('the generated policies have every field of the schema', () => {
  const [one] = fc.sample(policy, 1);
  expect(Object.keys(one!).sort()).toEqual(Object.keys(newPolicy.shape).sort());
});

test('a policy with any fields stays unchanged if its form is sent unchanged', () => {
  fc.assert(
    fc.property(policy, (original) => {
      expect(readNewPolicy(sent(policyFields(original, NONE)))).toEqual({ ok: true, value: original });
    }),
  );
});

test('an unchanged form changes nothing; a changed field changes only this field', () => {
  fc.assert(
    fc.property(policy, fc.integer({ min: 0, max: 10_000 }), (original, priority) => {
      const [sources, approvers] = [original.sources.toReversed(), [...original.approvers, ...original.approvers]];
      const stored = { ...original, name: ` ${original.name}\t`, sources, approvers };
      const fields = policyFields(stored, NONE);
      const form = sent(fields);
      expect(readPolicyChanges(form, fields)).toEqual({ ok: true, value: {} });
      form.set('priority', String(priority));
      expect(readPolicyChanges(form, fields)).toEqual({ ok: true, value: priority === stored.priority ? {} : { priority } });
    }),
  );
});

test.each([
  ['amount >= 500', [{ path: 'amount', gte: 500 }]],
  ['order.*.total>20.5 EUR', [{ path: 'order.*.total', gt: 20.5, currency: 'EUR' }]],
  ['amount > 1 at money.currency', [{ path: 'amount', gt: 1, currencyPath: 'money.currency' }]],
  [
    'amount >= 1 USD at cur\r\n\r\nb > -2',
    [
      { path: 'amount', gte: 1, currency: 'USD', currencyPath: 'cur' },
      { path: 'b', gt: -2 },
    ],
  ],
  ['', undefined],
  ['[]', []],
])('the amounts %j are read', (lines, value) => {
  expect(readAmounts(lines)).toEqual({ ok: true, value });
});

test.each([
  ['a@example.com\nnot *@example.com', { listed: ['a@example.com'], except: ['*@example.com'] }],
  ['not []', { listed: undefined, except: [] }],
  ['', { listed: undefined, except: undefined }],
])('the recipients %j are read', (lines, value) => {
  expect(readRule(lines)).toEqual({ ok: true, value });
});

test.each([
  ['amounts', 'amount >= 1\nmuch', 'has a line 2 that is not an amount: write it as amount >= 500 USD'],
  ['amounts', '{"path":"x"}', 'has an entry 1 that needs gte or gt'],
  ['recipients', '"open', 'has a line 1 that is not JSON'],
  ['timeout', '0.5', 'must be a number from 1 to 43200'],
  ['timeout', 'soon', 'must be a number from 1 to 43200'],
  ['priority', '-1', 'must be a number from 0 to 10000'],
  ['priority', '1.5', 'must be a number from 0 to 10000'],
  ['metadata', '[1]', expect.stringContaining('object')],
  ['metadata', '{', 'must be a JSON object'],
  ['metadata', `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 'is nested deeper than 64 levels'],
  ['metadata', '{"id":12345678901234567890123}', expect.stringMatching(/^id /)],
  ['metadata', `{}${' '.repeat(300_000)}{`, expect.stringContaining('too large')],
  ['amounts', `{"path":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 'has a line 1 that is nested deeper than 64 levels'],
  ['name', '', 'is missing'],
  ['name', 'x'.repeat(121), expect.stringContaining('120')],
  ['workspaceId', 'nowhere', expect.any(String)],
  ['decision', 'perhaps', expect.any(String)],
])('%s: %j is refused, and the error names the field', (name, value, problem) => {
  const [original] = fc.sample(policy, { numRuns: 1, seed: 7 });
  const form = sent(policyFields(original!, NONE));
  form.set(name, value);
  expect(readNewPolicy(form)).toMatchObject({ ok: false, problems: { [name]: problem } });
});

test('all errors are reported together', () => {
  const form = new URLSearchParams({ name: '', amounts: 'much', timeout: 'soon' });
  const read = readNewPolicy(form);
  expect(read.ok ? [] : Object.keys(read.problems)).toEqual(expect.arrayContaining(['name', 'amounts', 'timeout']));

  const [original] = fc.sample(policy, { numRuns: 1, seed: 7 });
  const fields = policyFields(original!, NONE);
  const changed = sent(fields);
  changed.set('name', '');
  changed.set('amounts', 'much');
  const changes = readPolicyChanges(changed, fields);
  expect(changes.ok ? [] : Object.keys(changes.problems).sort()).toEqual(['amounts', 'name']);
});

test('viewers, who decide nothing, are not offered as approvers; a chosen viewer is marked', () => {
  const choices = {
    ...NONE,
    members: new Map([
      ['v', 'Vera'],
      ['w', 'Wim'],
      ['m', 'Max'],
    ]),
    viewers: new Set(['v', 'w']),
  };
  const policy = newPolicy.parse({ name: 'x', approvers: [{ type: 'dashboard_user', userIds: ['w'] }] }) as PolicyFields;
  const field = policyFields(policy, choices).find(({ name }) => name === 'approvers');
  const people = field!.options!.filter(({ value }) => value.startsWith('user:'));
  expect(people.map(({ label }) => label)).toEqual(['Wim (a viewer: decides nothing)', 'Max']);
});

import { hashJson } from '../../../../commands/calls/hash-call.ts';
import type { PlannedCall } from '../../../../commands/code-runs/plan/plan-code-run.ts';
import { openCoverage } from '../../../../commands/code-runs/plan/plan-coverage.ts';
import type { RecordedCall } from '../../../../domain/call.ts';

const planned = (fields: Partial<PlannedCall> = {}): PlannedCall => ({
  ...{ alias: 'mail', action: 'send', inputHash: 'exact', connection: 'account/1', repeats: false },
  ...fields,
});
const planOf = (...calls: PlannedCall[]) => ({
  groups: [{ policyId: 'policy', approvalId: 'approval', calls }],
});
const sent = (inputHash = 'exact', connection = 'account/1', input = {}) => ({
  alias: 'mail',
  action: 'send',
  input,
  inputHash,
  connection,
});
const made = (fields: Partial<RecordedCall>) =>
  ({
    integrationAlias: 'mail',
    actionName: 'send',
    inputHash: 'exact',
    approvalId: 'approval',
    plannedCall: 0,
    status: 'succeeded',
    ...fields,
  }) as RecordedCall;
const covered = (plannedCall: number) => ({ policy: { approvalId: 'approval', plannedCall } });
const COVERED = covered(0);

test('a call that is predicted once is covered only once', () => {
  const coverage = openCoverage(planOf(planned()));
  expect([coverage.claim(sent()), coverage.claim(sent())]).toEqual([COVERED, {}]);
});

test('a prediction that repeats covers any number of calls with the predicted input', () => {
  const coverage = openCoverage(planOf(planned({ repeats: true })));
  expect([coverage.claim(sent()), coverage.claim(sent()), coverage.claim(sent('other'))]).toEqual([COVERED, COVERED, {}]);
});

test('a prediction with unknown input covers any input of its account; exact predictions are used first', () => {
  const plan = planOf(planned({ inputHash: null }), planned());
  const coverage = openCoverage(plan);
  expect([
    coverage.claim(sent('any', 'another/1')),
    coverage.claim(sent()),
    coverage.claim(sent('any')),
    coverage.claim(sent('more')),
  ]).toEqual([{}, covered(1), COVERED, {}]);
});

const KNOWN = [
  { path: ['to'], hash: hashJson('a@example.com') },
  { path: ['body', 'kind'], hash: hashJson({ n: 1 }) },
];

test.each([
  ['an input with these fields and others', { to: 'a@example.com', body: { kind: { n: 1 }, text: 'new' }, more: 1 }, COVERED],
  ['another value', { to: 'b@example.com', body: { kind: { n: 1 } } }, {}],
  ['a value with one more field', { to: 'a@example.com', body: { kind: { n: 1, m: 2 } } }, {}],
  ['a missing field', { body: { kind: { n: 1 } } }, {}],
  ['a text where an object was', { to: 'a@example.com', body: 'kind' }, {}],
  ['an inherited field', { to: 'a@example.com', body: Object.create({ kind: { n: 1 } }) }, {}],
])('a partly known input covers only a call with the known fields: %s', (_what, input, expected) => {
  const coverage = openCoverage(planOf(planned({ inputHash: null, fields: KNOWN })));
  expect(coverage.claim(sent('any', 'account/1', input))).toEqual(expected);
});

test('of several matching predictions, the one with the most known fields is used first', () => {
  const one = planned({ inputHash: null, fields: KNOWN.slice(0, 1) });
  const coverage = openCoverage(planOf(planned({ inputHash: null }), one, planned({ inputHash: null, fields: KNOWN })));
  const input = { to: 'a@example.com', body: { kind: { n: 1 } } };
  const claims = Array.from({ length: 4 }, () => coverage.claim(sent('any', 'account/1', input)));
  expect(claims).toEqual([covered(2), covered(1), covered(0), {}]);
});

test('in a later pass, only the predictions that an earlier pass used are unavailable', () => {
  const of = (to: string) => planned({ inputHash: null, fields: [{ path: ['to'], hash: hashJson(to) }] });
  const coverage = openCoverage(planOf(of('a'), of('b')), [made({ plannedCall: 1 })]);
  expect([coverage.claim(sent('any', 'account/1', { to: 'b' })), coverage.claim(sent('any', 'account/1', { to: 'a' }))]).toEqual([
    {},
    COVERED,
  ]);
});

test.each(['succeeded', 'failed', 'executing', 'unknown'] as const)(
  'a prediction stays used if an earlier pass used it for a call that is now %s',
  (status) => {
    expect(openCoverage(planOf(planned()), [made({ status })]).claim(sent())).toEqual({});
  },
);

test('a call that no approval of a plan admitted uses no prediction', () => {
  const before = [made({ status: 'gated' }), made({ approvalId: null }), made({ approvalId: 'its own', plannedCall: null })];
  expect(openCoverage(planOf(planned()), before).claim(sent())).toEqual(COVERED);
});

describe('a call of an earlier pass', () => {
  const any = planned({ inputHash: null });
  const next = sent('any');

  test('without a recorded prediction uses up one prediction, even if its input was not predicted', () => {
    const before = [made({ inputHash: 'made', plannedCall: null })];
    expect(openCoverage(planOf(any), before).claim(next)).toEqual({});
    expect(openCoverage(planOf(any, any), before).claim(next)).toEqual(covered(1));
  });

  test('without a recorded prediction uses up the prediction of its own input, if the plan has one', () => {
    const coverage = openCoverage(planOf(any, planned()), [made({ plannedCall: null })]);
    expect([coverage.claim(next), coverage.claim(sent())]).toEqual([COVERED, {}]);
  });

  test('without a recorded prediction uses up no prediction that is recorded for another call', () => {
    const before = [made({ inputHash: 'one', plannedCall: null }), made({ inputHash: 'two', plannedCall: 0 })];
    expect(openCoverage(planOf(any, any), before).claim(next)).toEqual({});
  });

  test('admitted by the approval of a former plan uses up one prediction', () => {
    const before = [made({ approvalId: 'former', inputHash: 'made', plannedCall: 0 })];
    expect(openCoverage(planOf(any), before).claim(next)).toEqual({});
  });

  test('admitted by another approval of the plan uses up only predictions of that approval', () => {
    const plan = planOf(any);
    plan.groups.push({ policyId: 'stricter', approvalId: 'other', calls: [any] });
    const claimed = openCoverage(plan, [made({ approvalId: 'other', inputHash: 'made' })]).claim(next);
    expect(claimed).toEqual(COVERED);
  });

  test('without a recorded prediction does not use up a repeating prediction', () => {
    const repeating = planned({ inputHash: null, repeats: true });
    const before = [made({ inputHash: 'one', plannedCall: null }), made({ inputHash: 'two', plannedCall: null })];
    expect(openCoverage(planOf(repeating, any), before).claim(next)).toEqual(COVERED);
  });
});

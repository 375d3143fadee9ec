import type { PlannedCall, RunPlan } from '../../commands/plan-code-run.ts';
import { openCoverage } from '../../commands/plan-coverage.ts';
import type { RecordedCall } from '../../domain/call.ts';

const planned = (fields: Partial<PlannedCall> = {}): PlannedCall => ({
  ...{ alias: 'mail', action: 'send', inputHash: 'exact', connection: 'account/1', repeats: false },
  ...fields,
});
const planOf = (...calls: PlannedCall[]): RunPlan => ({
  ...{ codeHash: 'c', toolSurfaceHash: 's' },
  groups: [{ policyId: 'policy', approvalId: 'approval', calls }],
});
const sent = (inputHash = 'exact', connection = 'account/1') => ({ alias: 'mail', action: 'send', inputHash, connection });
const made = (fields: Partial<RecordedCall>) =>
  ({
    integrationAlias: 'mail',
    actionName: 'send',
    inputHash: 'exact',
    approvalId: 'approval',
    status: 'succeeded',
    ...fields,
  }) as RecordedCall;
const COVERED = { policy: 'approval' };

test('a call that was predicted once is covered once: the same one again is not', () => {
  const coverage = openCoverage(planOf(planned()));
  expect([coverage.claim(sent()), coverage.claim(sent())]).toEqual([COVERED, {}]);
});

test('one that repeats is covered as often as it is made, and only with its input', () => {
  const coverage = openCoverage(planOf(planned({ repeats: true })));
  expect([coverage.claim(sent()), coverage.claim(sent()), coverage.claim(sent('other'))]).toEqual([COVERED, COVERED, {}]);
});

test('an input that was not known covers any, with the same account only, and leaves exact ones to their own', () => {
  const plan = planOf(planned({ inputHash: null }), planned());
  const coverage = openCoverage(plan);
  expect([
    coverage.claim(sent('any', 'another/1')),
    coverage.claim(sent()),
    coverage.claim(sent('any')),
    coverage.claim(sent('more')),
  ]).toEqual([{}, COVERED, COVERED, {}]);
});

test.each(['succeeded', 'failed', 'executing', 'unknown'] as const)(
  'what a call that is %s used up in an earlier pass is gone from the start, whichever call comes first now',
  (status) => {
    expect(openCoverage(planOf(planned()), [made({ status })]).claim(sent())).toEqual({});
  },
);

test('a call that is only held, or that no approval let through, uses nothing up', () => {
  const before = [made({ status: 'gated' }), made({ approvalId: null })];
  expect(openCoverage(planOf(planned()), before).claim(sent())).toEqual(COVERED);
});

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

test('a call predicted once is covered once: an equal second call is not', () => {
  const coverage = openCoverage(planOf(planned()));
  expect([coverage.claim(sent()), coverage.claim(sent())]).toEqual([COVERED, {}]);
});

test('a repeating call is covered as often as it is made, but only with its input', () => {
  const coverage = openCoverage(planOf(planned({ repeats: true })));
  expect([coverage.claim(sent()), coverage.claim(sent()), coverage.claim(sent('other'))]).toEqual([COVERED, COVERED, {}]);
});

test('an unknown input covers any input with the same account, and leaves exact predictions to their own calls', () => {
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
  'a prediction used in an earlier pass by a call that is %s stays used, whichever call comes first now',
  (status) => {
    expect(openCoverage(planOf(planned()), [made({ status })]).claim(sent())).toEqual({});
  },
);

test('a call that is only held, or that no approval admitted, uses no prediction', () => {
  const before = [made({ status: 'gated' }), made({ approvalId: null })];
  expect(openCoverage(planOf(planned()), before).claim(sent())).toEqual(COVERED);
});

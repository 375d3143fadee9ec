import { selectCurrent } from '../../../commands/code-runs/current-approvals.ts';
import { runState } from '../../../commands/code-runs/run-state.ts';
import { terminalReason } from '../../../commands/code-runs/terminal-reason.ts';
import type { RunApproval } from '../../../store/code-run-approvals.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const inSeconds = (seconds: number) => new Date(NOW + seconds * 1000);

const anApproval = (fields: Partial<RunApproval>): RunApproval => ({
  ...{
    id: 'apr_1',
    codeRunId: 'crun_1',
    callNumber: null,
    status: 'pending',
    decidedByType: null,
    decisionReason: null,
    isPlanned: false,
    isHeld: false,
  },
  ...{ integrationName: 'mail', integrationAlias: 'work-mail', actionName: 'send', expiresAt: inSeconds(60) },
  ...fields,
});
const idsOf = (approvals: RunApproval[]) => selectCurrent(approvals).map(({ id }) => id);

test('of the approvals for a plan, only those of the current plan count', () => {
  expect(idsOf([anApproval({ id: 'old plan' }), anApproval({ id: 'plan', isPlanned: true })])).toEqual(['plan']);
});

test("of the approvals of a call, the latest counts; a person's decision outranks a policy's", () => {
  const ofCall = (id: string, fields: Partial<RunApproval> = {}) => anApproval({ id, callNumber: 3, isHeld: true, ...fields });
  expect(idsOf([ofCall('first'), ofCall('second')])).toEqual(['second']);
  const byPolicy = ofCall('by a policy', { status: 'approved', decidedByType: 'policy' });
  expect(idsOf([ofCall('by a person', { status: 'approved', decidedByType: 'user' }), byPolicy])).toEqual(['by a person']);
});

test('an approval whose call was made under another approval does not count', () => {
  const approved = anApproval({ callNumber: 3, status: 'approved', decidedByType: 'user' });
  expect([idsOf([{ ...approved, isHeld: true }]), idsOf([approved])]).toEqual([['apr_1'], []]);
});

test('a run waits until the earliest expiry of its approvals, and at most one day', () => {
  const [pending, approved] = [anApproval({ id: 'a' }), anApproval({ id: 'b', status: 'approved', expiresAt: inSeconds(30) })];
  expect(runState('waiting', [pending, approved], NOW)).toEqual({
    ...{ status: 'waiting', pendingApprovalIds: ['a'], approvalIds: ['a', 'b'] },
    waitsUntil: NOW + 30_000,
  });
  expect(runState('waiting', [anApproval({ expiresAt: null })], NOW).waitsUntil).toBe(NOW + 24 * 3600 * 1000);
  expect(runState('executed', [pending], NOW).waitsUntil).toBeNull();
});

test.each([
  [{ status: 'pending' }, undefined],
  [{ status: 'approved' }, undefined],
  [{ status: 'consumed' }, undefined],
  [{ status: 'rejected', decisionReason: 'too much' }, 'rejected by a reviewer. Reason: too much'],
  [{ status: 'rejected', decidedByType: 'timeout' }, 'rejected because nobody decided in time.'],
  [{ status: 'expired' }, 'expired before it was used.'],
  [{ status: 'canceled' }, 'canceled.'],
] as [Partial<RunApproval>, string | undefined][])('the reason with which an approval ends the run: %j', (fields, ends) => {
  const reason = terminalReason(anApproval(fields));
  expect(reason?.status).toBe(ends && fields.status);
  if (ends) expect(reason!.error.message.endsWith(ends)).toBe(true);
});

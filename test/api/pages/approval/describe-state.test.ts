import { describeState } from '../../../../api/pages/approval/describe-state.ts';
import type { Approval } from '../../../../domain/approval.ts';
import type { CodeRunStatus } from '../../../../domain/code-run.ts';
import { findApprovalReview } from '../../../../store/approval-reviews.ts';
import { consumeApproval } from '../../../../store/approval-transitions.ts';
import { anApproval, openPages, type PageBed } from '../page-bed.ts';
import { approve, aRun, recordCall } from '../page-records.ts';
import { aPlan, CODE } from '../page-states.ts';

let bed: PageBed;
beforeAll(async () => {
  bed = await openPages();
});
afterAll(() => bed?.close());

async function sentenceFor({ id }: Approval): Promise<string> {
  const review = await findApprovalReview(bed.gateway.db, id);
  return describeState(review!, 'the program').sentence;
}

test.each<[CodeRunStatus, string]>([
  ['running', 'The program is running.'],
  ['waiting', 'The program waits for another decision.'],
  ['executed', 'The program ran to its end.'],
  ['failed', 'The program ended with an error. Its calls are not undone.'],
  ['rejected', 'The program ended because another of its requests was rejected.'],
  ['expired', 'The program ended because another of its approvals expired.'],
  ['canceled', 'The program was canceled.'],
])('the text for an approved program with the status %s gives the outcome of its calls', async (status, words) => {
  const approval = await aPlan(bed, null, CODE, status);
  await approve(bed, approval);
  await consumeApproval(bed.gateway.db, approval.id);
  await recordCall(bed, approval, 'succeeded', 1);
  await recordCall(bed, approval, 'failed', 2);
  const sentence = await sentenceFor(approval);
  expect(sentence).toContain(words);
  expect(sentence).toMatch(/Under this approval it made 2 calls: (1 succeeded, 1 failed|1 failed, 1 succeeded)\./);
});

test('the text for a gated call gives the outcomes of call and program', async () => {
  const run = await aRun(bed, CODE, 'executed');
  const approval = await anApproval(bed, { codeRunId: run.id, callNumber: 4 });
  await approve(bed, approval);
  expect(await sentenceFor(approval)).toContain('The program ended without using this approval.');
  await consumeApproval(bed.gateway.db, approval.id);
  await recordCall(bed, approval, 'succeeded', 4);
  expect(await sentenceFor(approval)).toContain('It succeeded. It cannot be used again. The program ran to its end.');
});

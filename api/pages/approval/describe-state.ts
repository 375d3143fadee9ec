import type { Approval } from '../../../domain/approval.ts';
import { isFinished } from '../../../domain/code-run.ts';
import type { ApprovalReview } from '../../../store/approval-reviews.ts';
import { showTime } from '../layout/show-time.ts';
import { isPlan } from './describe-call.ts';
import { describeOutcome } from './describe-outcome.ts';
import type { ShownState } from './shown-state.ts';

/**
 * The state of an approval in words, by the database clock. From its deadline, a pending approval
 * counts as timed out, even if its workflow still runs.
 */
export function describeState(review: ApprovalReview, subject: string): ShownState {
  const { approval, receiptExpiresAt, now } = review;
  if (approval.status === 'pending') return approval.expiresAt > now ? WAITING : timeIsUp(approval, subject);
  if (approval.decidedByType === 'timeout') return timeIsUp(approval, subject);
  if (approval.decidedByType === 'policy') return POLICY_DECIDED;
  const unused = { ...UNUSED, sentence: `This was approved, but ${subject} did not run before the approval expired.` };
  switch (approval.status) {
    case 'approved':
      return receiptExpiresAt && receiptExpiresAt <= now ? unused : approved(review, subject);
    case 'consumed':
      return describeOutcome(review, subject);
    case 'rejected':
      return { tone: 'bad', label: 'Rejected', sentence: `${capital(subject)} does not run.` };
    case 'canceled':
      return { tone: 'quiet', label: 'Withdrawn', sentence: `Nobody decides it any more. ${capital(subject)} does not run.` };
    case 'expired':
      return unused;
  }
}

const UNUSED = { tone: 'quiet', label: 'Approved, not used in time' } as const;
const POLICY_DECIDED: ShownState = {
  tone: 'good',
  label: 'Allowed by policy',
  sentence: 'The policy allowed this to run at once and recorded it.',
};

const WAITING: ShownState = { tone: 'waiting', label: 'Waiting for a decision', sentence: 'No answer means no.' };

function timeIsUp(approval: Approval, subject: string): ShownState {
  const sentence = `Nobody decided in time. ${capital(subject)} does not run.`;
  if (approval.status === 'pending') return { tone: 'quiet', label: 'Time ran out', sentence };
  return approval.status === 'rejected'
    ? { tone: 'bad', label: 'Rejected, time ran out', sentence }
    : { tone: 'quiet', label: 'Expired', sentence };
}

function approved(review: ApprovalReview, subject: string): ShownState {
  const { approval, receiptExpiresAt, run } = review;
  if (run && isFinished(run.status))
    return { tone: 'quiet', label: 'Approved, not used', sentence: 'The program ended without using this approval.' };
  const until = receiptExpiresAt ? `, until ${showTime(receiptExpiresAt).words}` : '';
  const what = isPlan(approval) ? 'run, with the calls that this approval covers' : 'run once, with exactly this input';
  return { tone: 'good', label: 'Approved', sentence: `${capital(subject)} may ${what}${until}.` };
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

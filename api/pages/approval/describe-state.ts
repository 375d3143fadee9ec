import type { ApprovalReview } from '../../../commands/open-approval-link.ts';
import type { Approval } from '../../../domain/approval.ts';
import { isFinished } from '../../../domain/code-run.ts';
import { showTime } from '../layout/show-time.ts';
import { isPlan } from './describe-call.ts';
import { describeOutcome } from './describe-outcome.ts';

/** Where an approval stands, in words. */
export interface ShownState {
  tone: 'waiting' | 'good' | 'bad' | 'quiet';
  label: string;
  sentence: string;
}

/** Says honestly how an approval stands by the database clock, also when its time is up and nobody has ended it yet. */
export function describeState(review: ApprovalReview, subject: string): ShownState {
  const { approval, receiptExpiresAt, now } = review;
  if (approval.status === 'pending') return approval.expiresAt > now ? waiting(approval, subject) : timeIsUp(approval, subject);
  if (approval.decidedByType === 'timeout') return timeIsUp(approval, subject);
  if (approval.decidedByType === 'policy') return POLICY_DECIDED;
  const unused = { ...UNUSED, sentence: `This was approved, but ${subject} did not run while the permission was good.` };
  switch (approval.status) {
    case 'approved':
      return receiptExpiresAt && receiptExpiresAt <= now ? unused : approved(review, subject);
    case 'consumed':
      return describeOutcome(review, subject);
    case 'rejected':
      return { tone: 'bad', label: 'Rejected', sentence: `${capital(subject)} does not run.` };
    case 'canceled':
      return { tone: 'quiet', label: 'Canceled', sentence: `The request was withdrawn. ${capital(subject)} does not run.` };
    case 'expired':
      return unused;
  }
}

const UNUSED = { tone: 'quiet', label: 'Approved, not used in time' } as const;
const POLICY_DECIDED: ShownState = {
  tone: 'good',
  label: 'Let through',
  sentence: 'The policy let this run at once and kept a record of it.',
};

function waiting(approval: Approval, subject: string): ShownState {
  const outcome = approval.defaultOnTimeout === 'reject' ? 'it is rejected' : 'it expires';
  return {
    tone: 'waiting',
    label: 'Waiting for a decision',
    sentence: `If nobody decides in time, ${outcome} and ${subject} does not run.`,
  };
}

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
    return { tone: 'quiet', label: 'Approved, not used', sentence: 'The program has ended without making a call under this approval.' };
  const until = receiptExpiresAt ? `, until ${showTime(receiptExpiresAt).words}` : '';
  const what = isPlan(approval) ? 'go on, with the calls that this approval covers' : 'run once, exactly as shown here';
  return { tone: 'good', label: 'Approved', sentence: `${capital(subject)} may ${what}${until}.` };
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

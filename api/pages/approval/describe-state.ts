import type { ApprovalReview } from '../../../commands/open-approval-link.ts';
import type { ActorType, Approval } from '../../../domain/approval.ts';
import { showTime } from '../layout/show-time.ts';

/** Where an approval stands, in words. */
export interface ShownState {
  tone: 'waiting' | 'good' | 'bad' | 'quiet';
  label: string;
  sentence: string;
}

/** Says honestly how an approval stands by the database clock, also when its time is up and nobody has ended it yet. */
export function describeState({ approval, receiptExpiresAt, now }: ApprovalReview, subject: string): ShownState {
  if (approval.status === 'pending') return approval.expiresAt > now ? waiting(approval, subject) : timeIsUp(approval, subject);
  if (approval.decidedByType === 'timeout') return timeIsUp(approval, subject);
  if (approval.decidedByType === 'policy') return POLICY_DECIDED;
  const unused = { ...UNUSED, sentence: `This was approved, but ${subject} did not run while the permission was good.` };
  switch (approval.status) {
    case 'approved':
      return receiptExpiresAt && receiptExpiresAt <= now ? unused : approved(receiptExpiresAt, subject);
    case 'consumed':
      return { tone: 'good', label: 'Approved and used', sentence: used(approval, subject) };
    case 'rejected':
      return { tone: 'bad', label: 'Rejected', sentence: `${capital(subject)} does not run.` };
    case 'canceled':
      return { tone: 'quiet', label: 'Canceled', sentence: `The request was withdrawn. ${capital(subject)} does not run.` };
    case 'expired':
      return unused;
  }
}

/** Who decided, as far as a holder of the link may know. */
export function describeDecider(type: ActorType): string {
  return DECIDERS[type];
}

const DECIDERS: Record<ActorType, string> = {
  hosted_link: 'A reviewer, on this page',
  api_key: 'A reviewer, through the API',
  mcp_token: 'The agent that asked',
  operator: 'An operator',
  policy: 'The policy itself',
  timeout: 'Nobody; the time ran out',
  system: 'The service',
};

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

function approved(receiptExpiresAt: Date | null, subject: string): ShownState {
  const until = receiptExpiresAt ? `, until ${showTime(receiptExpiresAt).words}` : '';
  return { tone: 'good', label: 'Approved', sentence: `${capital(subject)} may run once, exactly as shown here${until}.` };
}

function used(approval: Approval, subject: string): string {
  const when = approval.consumedAt ? ` on ${showTime(approval.consumedAt).words}` : '';
  return `The permission was used${when}: ${subject} was started, once. It can’t be used again.`;
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

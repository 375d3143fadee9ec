import type { OpenedLink } from '../../../commands/approvals/open-approval-link.ts';
import type { Approval, ApprovalStatus } from '../../../domain/approval.ts';
import { describeDecider } from '../approval/describe-decider.ts';
import { type ShownTime, showTime } from '../layout/show-time.ts';

/** An approval of a run, prepared for the page of the run. */
export interface ApprovalOfRun {
  id: string;
  /** Whether the link of this approval opened the page. */
  isThisOne: boolean;
  policyName: string;
  about: string;
  status: { tone: 'good' | 'bad' | 'wait' | 'plain'; words: string };
  decider: string | null;
  decidedAt: ShownTime | null;
  reason: string | null;
}

interface Reader {
  deciders: ReadonlyMap<string, string>;
  maySee(approval: Approval): boolean;
}

/** Prepares the approvals of a run. A reason is shown only if `maySee` permits it. */
export function presentApprovals(link: OpenedLink, approvals: readonly Approval[], { deciders, maySee }: Reader): ApprovalOfRun[] {
  return approvals.map((approval) => ({
    id: approval.id,
    isThisOne: approval.id === link.approval.id,
    policyName: approval.policyName ?? 'A policy without a name',
    about: approval.callNumber === null ? 'The program as a whole' : `Call ${approval.callNumber + 1}: ${toolOf(approval)}`,
    status: STATUS[approval.status],
    decider: deciderOf({ ...link, approval, deciderName: deciders.get(approval.id) ?? null }),
    decidedAt: approval.decidedAt && showTime(approval.decidedAt),
    reason: maySee(approval) ? approval.decisionReason : null,
  }));
}

/** The decider in words, for pages other than the approval's own; null before the decision. */
export function deciderOf(link: Pick<OpenedLink, 'approval' | 'viewer' | 'deciderName'>): string | null {
  const { decidedByType } = link.approval;
  if (decidedByType === 'hosted_link') return 'A reviewer, on the page of the approval';
  return decidedByType && describeDecider(link);
}

function toolOf({ integrationAlias, integrationName, actionName }: Approval): string {
  return `${integrationAlias ?? integrationName}.${actionName}`;
}

const STATUS: Record<ApprovalStatus, ApprovalOfRun['status']> = {
  pending: { tone: 'wait', words: 'undecided' },
  approved: { tone: 'good', words: 'approved' },
  consumed: { tone: 'good', words: 'approved and used' },
  rejected: { tone: 'bad', words: 'rejected' },
  expired: { tone: 'plain', words: 'expired' },
  canceled: { tone: 'plain', words: 'canceled' },
};

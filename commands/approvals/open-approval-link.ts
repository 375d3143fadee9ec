import { type Approval, allowsHostedLink, settledAt } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import { APPROVAL_OUTCOME_SECONDS } from '../../domain/limits.ts';
import type { Person } from '../../domain/person.ts';
import { describeApprovers, mayReview, namesPeople } from '../../domain/policies/approver-rules.ts';
import { type ApprovalReview, findApprovalReview } from '../../store/approval-reviews.ts';
import type { Gateway } from '../gateway.ts';
import { kindOfLink, type LinkKind } from './approval-links.ts';
import { findPerson } from './find-person.ts';

/** An opened approval and its viewer. A link to a settled approval shows only the outcome. */
export interface OpenedLink extends ApprovalReview {
  /** Null for a bearer link. */
  viewer: Person | null;
  /** Why the viewer cannot decide, as a sentence. Null if the viewer can. */
  refusal: string | null;
  /** Null while the approval can be decided. */
  settledAt: Date | null;
}

/**
 * Opens a link to an approval; undefined if the link is not valid. With `as`, the link belongs to
 * one person. Throws APPROVAL_LINK_EXPIRED 24 hours after the approval was settled.
 */
export async function openApprovalLink(gateway: Gateway, approvalId: string, token: string, as?: string): Promise<OpenedLink | undefined> {
  const kind = kindOfLink(gateway, approvalId, token, as);
  if (!kind) return undefined;
  const review = await findApprovalReview(gateway.db, approvalId);
  if (!review) return undefined;
  const { approval, now } = review;
  const viewer = as === undefined ? null : await findPerson(gateway.db, approval, as);
  if (viewer === undefined || (viewer === null && !allowsHostedLink(approval.approvalAccessMode))) return undefined;

  const refusal = viewer ? refusalOf(approval, viewer) : refusalOfBearer(approval, kind);
  const settled = settledAt(approval, now);
  // The last approved call may be another caller's, so only a viewer who can decide sees it.
  const lastApproved = refusal === null ? review.lastApproved : null;
  if (settled === null) return { ...review, lastApproved, viewer, refusal, settledAt: null };
  assertOutcomeIsShown(settled, now);
  return { ...outcomeAlone(review), viewer, refusal, settledAt: settled };
}

/** Why a person may not decide an approval; null if the person may. */
export function refusalOf(approval: Approval, person: Person): string | null {
  return mayReview(approval, person) ? null : `The policy asks for ${describeApprovers(approval.approvers)} to decide this.`;
}

function refusalOfBearer({ approvers }: Approval, kind: LinkKind): string | null {
  if (kind === 'deciding' || !namesPeople(approvers)) return null;
  return `This link shows the request but cannot decide it. The policy asks for ${describeApprovers(approvers)} to decide, through their own link or an API key that may decide approvals.`;
}

function assertOutcomeIsShown(settled: Date, now: Date): void {
  if (now.getTime() - settled.getTime() >= APPROVAL_OUTCOME_SECONDS * 1000)
    throw new GatewayError('APPROVAL_LINK_EXPIRED', 'This request was settled more than 24 hours ago, so its link has expired.');
}

/** Keeps the `type` in the preview of a plan, because pages recognize a plan by this type. */
function outcomeAlone({ approval, ...review }: ApprovalReview): ApprovalReview {
  const isPlan = approval.codeRunId !== null && approval.callNumber === null;
  const inputPreview = isPlan ? { type: approval.inputPreview.type } : {};
  const emptied = {
    inputPreview,
    redactedPaths: [],
    presetPaths: [],
    riskReasons: [],
    riskScore: null,
    riskCategory: null,
    plannedTools: null,
  };
  return {
    ...review,
    approval: { ...approval, ...emptied, decisionMetadata: null },
    accounts: [],
    calls: approval.codeRunId === null ? review.calls : [],
    run: null,
    lastApproved: null,
  };
}

import { type Approval, allowsHostedLink } from '../domain/approval.ts';
import { describeApprovers, mayReview } from '../domain/approver-rules.ts';
import type { Person } from '../domain/person.ts';
import { type ApprovalSurroundings, findApprovalSurroundings } from '../store/approval-reviews.ts';
import { findApprovalById } from '../store/approvals.ts';
import { isLinkToken } from './approval-links.ts';
import { findPerson } from './find-person.ts';
import type { Gateway } from './gateway.ts';

/** All that a reviewer may see of an approval. */
export interface ApprovalReview extends ApprovalSurroundings {
  approval: Approval;
}

/** An approval, and who looks at it. */
export interface OpenedLink extends ApprovalReview {
  /** Whom a personal link is for; null for whoever holds the approval's own link. */
  viewer: Person | null;
  /** Why the viewer may not decide, as a sentence; null when they may, for as long as it is pending. */
  refusal: string | null;
}

/**
 * What a link to an approval opens; it changes nothing. Without `as` the link is the approval's own, for whoever holds it where the access
 * mode allows one; with `as` it is one person's, whatever the mode. Undefined, always alike, for a token that is not that link's own, for an
 * unknown approval, for a person who is gone, and where the mode allows no link.
 */
export async function openApprovalLink(gateway: Gateway, approvalId: string, token: string, as?: string): Promise<OpenedLink | undefined> {
  if (!isLinkToken(gateway, approvalId, token, as)) return undefined;
  const [approval, surroundings] = await Promise.all([
    findApprovalById(gateway.db, approvalId),
    findApprovalSurroundings(gateway.db, approvalId),
  ]);
  if (!approval || !surroundings) return undefined;
  if (as === undefined)
    return allowsHostedLink(approval.approvalAccessMode) ? { approval, ...surroundings, viewer: null, refusal: null } : undefined;
  const viewer = await findPerson(gateway.db, approval, as);
  return viewer && { approval, ...surroundings, viewer, refusal: refusalOf(approval, viewer) };
}

/** Why a person may not decide an approval; null when they may. */
export function refusalOf(approval: Approval, person: Person): string | null {
  return mayReview(approval, person) ? null : `The policy asks for ${describeApprovers(approval.approvers)} to decide this.`;
}

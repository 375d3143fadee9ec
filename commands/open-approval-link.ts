import { type Approval, allowsHostedLink } from '../domain/approval.ts';
import { type ApprovalSurroundings, findApprovalSurroundings } from '../store/approval-reviews.ts';
import { findApprovalById } from '../store/approvals.ts';
import { isLinkToken } from './approval-links.ts';
import type { Gateway } from './gateway.ts';

/** All that a reviewer may see of an approval. */
export interface ApprovalReview extends ApprovalSurroundings {
  approval: Approval;
}

/**
 * What a hosted link opens, for whoever holds it; it changes nothing. Undefined, always alike, for a token that is not this
 * approval's own, for an unknown approval, and where the access mode allows no link.
 */
export async function openApprovalLink(gateway: Gateway, approvalId: string, token: string): Promise<ApprovalReview | undefined> {
  if (!isLinkToken(gateway, approvalId, token)) return undefined;
  const [approval, surroundings] = await Promise.all([
    findApprovalById(gateway.db, approvalId),
    findApprovalSurroundings(gateway.db, approvalId),
  ]);
  if (!approval || !surroundings || !allowsHostedLink(approval.approvalAccessMode)) return undefined;
  return { approval, ...surroundings };
}

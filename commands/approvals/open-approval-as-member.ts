import { settledAt } from '../../domain/approval.ts';
import type { SignedInMember } from '../../domain/member.ts';
import { findApprovalReview } from '../../store/approval-reviews.ts';
import type { Gateway } from '../gateway.ts';
import { type OpenedLink, refusalOf } from './open-approval-link.ts';

/**
 * Opens an approval for a signed-in member, in any access mode and also after the decision;
 * undefined if the organization has no such approval.
 */
export async function openApprovalAsMember(gateway: Gateway, member: SignedInMember, id: string): Promise<OpenedLink | undefined> {
  const review = await findApprovalReview(gateway.db, id);
  if (review?.approval.orgId !== member.orgId) return undefined;
  const { approval, now } = review;
  return { ...review, viewer: member, refusal: refusalOf(approval, member), settledAt: settledAt(approval, now) };
}

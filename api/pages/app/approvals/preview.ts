import { openApprovalAsMember } from '../../../../commands/approvals/open-approval-as-member.ts';
import { presentReview } from '../../approval/present-review.ts';
import type { Visit } from '../screen.ts';

/** Returns undefined for an id that is unknown in the member's organization. */
export async function previewOf({ gateway, member, query, root }: Visit, id: string) {
  const opened = await openApprovalAsMember(gateway, member, id);
  if (!opened) return undefined;
  const { orgId, integrationName } = opened.approval;
  const view = await presentReview(await gateway.catalog.of(orgId, [integrationName]), opened);
  const kept = new URLSearchParams([...query].filter(([name]) => name !== 'current' && name !== 'keep'));
  const next = `${root}/approvals${kept.size > 0 ? `?${kept}` : ''}`;
  return { ...view, next, runPath: null, notice: undefined, typed: '', mayDecide: view.isWaiting && view.refusal === null };
}

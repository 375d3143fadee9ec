import { actorOf, assertMayDecide, type KeyPrincipal } from '../../domain/principal.ts';
import { resendFailedDeliveries as resend } from '../../store/webhook-list.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';

const MAX_RESENT = 1000;

/**
 * Sends again the failed deliveries of events from `since` on, oldest first. The rows are the
 * queue, so a crash loses no delivery. `isAll` is false if more may be left. Throws
 * APPROVAL_DECISION_SCOPE_REQUIRED.
 */
export async function resendFailedDeliveries(
  gateway: Gateway,
  principal: KeyPrincipal,
  { since, workspaceId }: { since: Date; workspaceId: string | undefined },
): Promise<{ count: number; isAll: boolean }> {
  assertMayDecide(principal);
  const { orgId } = principal;
  return gateway.db.transaction(async (tx) => {
    const sent = await resend(tx, { orgId, workspaceId, since, limit: MAX_RESENT });
    const rows = sent.map(({ id, eventType, attempt, ...about }) => ({
      ...about,
      type: 'webhook.redelivery_asked' as const,
      actor: actorOf(principal),
      deliveryId: id,
      details: { event: eventType, attempts: attempt, status: 'failed' },
    }));
    await recordActivity(tx, ...rows);
    return { count: sent.length, isAll: sent.length < MAX_RESENT };
  });
}

import pLimit from 'p-limit';
import { findApprovalById } from '../../store/approvals.ts';
import { deleteSentOutbox, lockOutbox, type OutboxEntry } from '../../store/outbox.ts';
import type { Gateway } from '../gateway.ts';

const BATCH = 50;

/**
 * The most concurrent calls to Temporal. With more calls after an outage, Temporal would answer so
 * slowly that it would seem unavailable again.
 */
const CONCURRENCY = 10;

/** Seconds. Commands send their entries right after commit, so only older entries are sent here. */
const GRACE_SECONDS = 3;

/**
 * Notifies Temporal of changes that were committed while Temporal was unavailable, or whose process
 * ended before it notified Temporal. Throws UNAVAILABLE while Temporal is unavailable.
 */
export async function resendOutbox(gateway: Gateway): Promise<void> {
  let sent = 0;
  for (let batch = await resendBatch(gateway); batch > 0; batch = await resendBatch(gateway)) sent += batch;
  if (sent > 0) gateway.logger.info({ sent }, 'outbox entries resent to Temporal');
}

async function resendBatch(gateway: Gateway): Promise<number> {
  return gateway.db.transaction(async (tx) => {
    const entries = await lockOutbox(tx, { olderThanSeconds: GRACE_SECONDS, limit: BATCH });
    const limit = pLimit(CONCURRENCY);
    const outcomes = await Promise.allSettled(entries.map((entry) => limit(() => send(gateway, entry))));
    const sent = entries.filter((_, index) => outcomes[index]!.status === 'fulfilled');
    await deleteSentOutbox(tx, sent);
    const refused = outcomes.find((outcome) => outcome.status === 'rejected');
    if (refused && sent.length === 0) throw refused.reason;
    return sent.length;
  });
}

async function send(gateway: Gateway, { kind, approvalId }: OutboxEntry): Promise<void> {
  const approval = await findApprovalById(gateway.db, approvalId);
  if (!approval) return;
  const isSettled = approval.status !== 'pending' && approval.decidedByType !== 'policy';
  // The entry of the settlement also starts the workflow. It is in the outbox or was already sent.
  if (kind === 'approval-requested' && isSettled) return;
  if (kind === 'approval-requested') await gateway.orchestrator.startApproval(approval);
  else await gateway.orchestrator.signalSettled(approval);
}

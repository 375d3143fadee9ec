import pLimit from 'p-limit';
import { findApprovalById } from '../../store/approvals.ts';
import { deleteSentOutbox, lockOutbox, type OutboxEntry } from '../../store/outbox.ts';
import type { Gateway } from '../gateway.ts';
import { isOrchestratorUnavailable } from './notify-orchestrator.ts';

const BATCH = 50;

/** Low, because more calls after an outage slow Temporal until it seems unavailable again. */
const CONCURRENCY = 10;

/** Age from which entries are resent. Commands send newer entries themselves. */
const GRACE_SECONDS = 3;

/**
 * Sends outbox entries that did not reach Temporal. An entry that cannot be sent stays. Throws
 * UNAVAILABLE if Temporal is unavailable for a whole batch.
 */
export async function resendOutbox(gateway: Gateway): Promise<void> {
  let sent = 0;
  let batch: ResentBatch = { count: 0, sent: 0, lastId: 0 };
  do {
    batch = await resendBatch(gateway, batch.lastId);
    sent += batch.sent;
  } while (batch.count === BATCH);
  if (sent > 0) gateway.logger.info({ sent }, 'outbox entries resent to Temporal');
}

interface ResentBatch {
  /** The number of entries that were tried. */
  count: number;
  sent: number;
  /** 0 if there was no entry. */
  lastId: number;
}

async function resendBatch(gateway: Gateway, afterId: number): Promise<ResentBatch> {
  return gateway.db.transaction(async (tx) => {
    const entries = await lockOutbox(tx, { olderThanSeconds: GRACE_SECONDS, afterId, limit: BATCH });
    const limit = pLimit(CONCURRENCY);
    const outcomes = await Promise.allSettled(entries.map((entry) => limit(() => send(gateway, entry))));
    const sent = entries.filter((_, index) => outcomes[index]!.status === 'fulfilled');
    await deleteSentOutbox(tx, sent);
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.status === 'fulfilled') continue;
      if (sent.length === 0 && isOrchestratorUnavailable(outcome.reason)) throw outcome.reason;
      const { kind, approvalId } = entries[index]!;
      gateway.logger.warn({ kind, approvalId, error: String(outcome.reason) }, 'outbox entry not sent, repeating it next round');
    }
    return { count: entries.length, sent: sent.length, lastId: entries.at(-1)?.id ?? 0 };
  });
}

async function send(gateway: Gateway, { kind, approvalId }: OutboxEntry): Promise<void> {
  const approval = await findApprovalById(gateway.db, approvalId);
  if (!approval) return;
  const isSettled = approval.status !== 'pending' && approval.decidedByType !== 'policy';
  // The entry `approval-settled` also starts the workflow. It is in the outbox or was already sent.
  if (kind === 'approval-requested' && isSettled) return;
  if (kind === 'approval-requested') await gateway.orchestrator.startApproval(approval);
  else if (kind === 'approval-settled') await gateway.orchestrator.signalSettled(approval);
  else if (approval.codeRunId) await gateway.orchestrator.signalResumed(approval.codeRunId, approvalId);
}

import { listForgottenApprovalIds } from '../store/approval-moves.ts';
import { findApprovalById } from '../store/approvals.ts';
import { deleteOutbox, lockOutbox, type OutboxEntry } from '../store/outbox.ts';
import type { Gateway } from './gateway.ts';
import { timeOutApproval } from './time-out-approval.ts';

const BATCH = 50;

/** A command tells Temporal itself, right after its commit; what is older than this was not told. */
const GRACE_SECONDS = 3;

/**
 * Tells Temporal what was committed and not told, because Temporal was away or the process died, and ends approvals that nobody ended in time.
 * Answers how many were told. Several relays may run side by side.
 */
export async function relayOutbox(gateway: Gateway): Promise<number> {
  let told = 0;
  for (let batch = await relayBatch(gateway); batch > 0; batch = await relayBatch(gateway)) told += batch;
  for (const id of await listForgottenApprovalIds(gateway.db, BATCH)) await timeOutApproval(gateway, id);
  return told;
}

async function relayBatch(gateway: Gateway): Promise<number> {
  return gateway.db.transaction(async (tx) => {
    const entries = await lockOutbox(tx, { olderThanSeconds: GRACE_SECONDS, limit: BATCH });
    for (const entry of entries) {
      await tell(gateway, entry);
      await deleteOutbox(tx, entry);
    }
    return entries.length;
  });
}

async function tell(gateway: Gateway, { kind, subjectId }: OutboxEntry): Promise<void> {
  const approval = await findApprovalById(gateway.db, subjectId);
  if (!approval) return;
  if (kind === 'approval-requested') await gateway.orchestrator.startApproval(approval);
  else await gateway.orchestrator.tellSettled(approval);
}

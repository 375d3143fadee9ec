import { listForgottenApprovalIds } from '../store/approval-moves.ts';
import { findApprovalById } from '../store/approvals.ts';
import { deleteOutbox, lockOutbox, type OutboxEntry } from '../store/outbox.ts';
import { expireUnusedApprovals } from './expire-unused-approval.ts';
import type { Gateway } from './gateway.ts';
import { giveUpAbandonedCalls, giveUpLeftCalls } from './give-up-call.ts';
import { reviveCodeRuns } from './revive-code-run.ts';
import { timeOutApproval } from './time-out-approval.ts';

const BATCH = 50;

/** Looking after a code run asks Temporal: few at each turn, all of a thousand within minutes. */
const RUNS_AT_A_TIME = 25;

/** A command tells Temporal itself, right after its commit; what is older than this was not told. */
const GRACE_SECONDS = 3;

/**
 * Tells Temporal what was committed and not told, because Temporal was away or the process died, ends approvals that nobody ended in time or used in
 * time, says of calls whose process is gone that their outcome is unknown, and looks after code runs whose workflow may be gone.
 * Answers how many were told. Several relays may run side by side.
 */
export async function relayOutbox(gateway: Gateway): Promise<number> {
  // First what needs nothing but the database: Temporal may be away.
  for (let unused = BATCH; unused === BATCH; ) unused = await expireUnusedApprovals(gateway, BATCH);
  let told = 0;
  for (let batch = await relayBatch(gateway); batch > 0; batch = await relayBatch(gateway)) told += batch;
  for (let ended = BATCH; ended === BATCH; ) ended = await endForgotten(gateway);
  for (let lost = BATCH; lost === BATCH; ) lost = await giveUpAbandonedCalls(gateway, BATCH);
  for (let left = BATCH; left === BATCH; ) left = await giveUpLeftCalls(gateway, BATCH);
  await reviveCodeRuns(gateway, RUNS_AT_A_TIME);
  return told;
}

/** Ends a batch of overdue approvals; answers how many there were. */
async function endForgotten(gateway: Gateway): Promise<number> {
  const forgotten = await listForgottenApprovalIds(gateway.db, BATCH);
  for (const id of forgotten) await timeOutApproval(gateway, id);
  return forgotten.length;
}

async function relayBatch(gateway: Gateway): Promise<number> {
  return gateway.db.transaction(async (tx) => {
    const entries = await lockOutbox(tx, { olderThanSeconds: GRACE_SECONDS, limit: BATCH });
    const answers = await Promise.allSettled(entries.map((entry) => tell(gateway, entry)));
    const told = entries.filter((_, index) => answers[index]!.status === 'fulfilled');
    for (const entry of told) await deleteOutbox(tx, entry);
    const refused = answers.find((answer) => answer.status === 'rejected');
    if (refused && told.length === 0) throw refused.reason;
    return told.length;
  });
}

async function tell(gateway: Gateway, { kind, subjectId }: OutboxEntry): Promise<void> {
  const approval = await findApprovalById(gateway.db, subjectId);
  if (!approval) return;
  if (kind === 'approval-requested') await gateway.orchestrator.startApproval(approval);
  else await gateway.orchestrator.tellSettled(approval);
}

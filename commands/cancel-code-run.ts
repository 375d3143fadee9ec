import { sentBy } from '../domain/activity.ts';
import type { Actor } from '../domain/approval.ts';
import { cancelCodeRuns } from '../store/code-run-moves.ts';
import type { Gateway } from './gateway.ts';
import { recordActivity } from './record-activity.ts';
import { tellSettled } from './tell-orchestrator.ts';
import { canceledBecause, tellCanceled, withdrawApprovals } from './withdraw-pending.ts';

export interface CancelCodeRun {
  codeRunId: string;
  /** Who cancels; that they may is the caller's to check. */
  by: Actor;
  reason?: string | undefined;
  /** Who sent an operator's cancellation, whoever they say to be; for the audit trail. */
  sender?: string | null | undefined;
}

/**
 * Ends a run, whatever it is doing: a pass under way hears of it from Postgres and stops within a second, what waits for people is canceled.
 * A call that was under way stands in the journal as what it turns out to be. A run that has ended already stays as it is.
 */
export async function cancelCodeRun(gateway: Gateway, { codeRunId, by, reason, sender }: CancelCodeRun): Promise<void> {
  const message = `The run was canceled${BY[by.type] ?? ''}${reason ? `: ${reason}` : '.'}`;
  // The run first: whoever is about to ask people for it holds it, and finds it ended.
  const { canceled, approvals } = await gateway.db.transaction(async (tx) => {
    const [canceled] = await cancelCodeRuns(tx, { codeRunId }, canceledBecause(message));
    if (!canceled) return { canceled, approvals: [] };
    const { orgId, workspaceId } = canceled;
    const approvals = await withdrawApprovals(gateway, tx, { orgId, codeRunId }, message);
    await recordActivity(tx, {
      ...{ orgId, workspaceId, codeRunId, type: 'code_run.canceled', actor: by },
      details: { reason: reason ?? null, ...sentBy(sender) },
    });
    return { canceled, approvals };
  });
  if (!canceled) return;
  await Promise.all([tellCanceled(gateway, codeRunId), ...approvals.map((approval) => tellSettled(gateway, approval))]);
}

const BY: Partial<Record<Actor['type'], string>> = { operator: ' by an operator', user: ' by a person', api_key: ' through the API' };

import type { Approval } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { OutboxEntry } from '../../store/outbox.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Signals an approval's workflow, after commit, that the approval is settled. Never rejects: if the
 * signal fails, the reconciliation repeats the signal later.
 */
export async function signalSettled(gateway: Gateway, approval: Approval): Promise<void> {
  const isUnstarted = gateway.approvalStarts.drop(approval.id);
  try {
    await gateway.orchestrator.signalSettled(approval);
  } catch (error) {
    logLater(gateway, approval, error, 'approval settlement not signaled, left to the reconciliation');
    return;
  }
  forget(gateway, approval, 'approval-settled');
  // The signal started the workflow.
  if (isUnstarted) forget(gateway, approval, 'approval-requested');
}

/** Delay of a signal in ms: longer than a pass without calls to third parties takes. */
const SOON_MS = 100;

/**
 * Like `signalSettled`, but a moment later. If a caller waits for an eager pass, the pass thus gets
 * the processor first. If the process ends before the signal, the reconciliation sends the signal
 * later.
 */
export function signalSettledSoon(gateway: Gateway, approval: Approval): void {
  setTimeout(() => void signalSettled(gateway, approval), SOON_MS).unref();
}

/**
 * Signals the workflow of a run that a continuation resumed, after the same delay. If the process
 * ends first, the reconciliation sends the signal later.
 */
export function signalResumedSoon(gateway: Gateway, { codeRunId, approvalId }: { codeRunId: string; approvalId: string }): void {
  const signal = async () => {
    try {
      await gateway.orchestrator.signalResumed(codeRunId, approvalId);
    } catch (error) {
      logLater(gateway, { id: approvalId }, error, 'resumption not signaled, the reconciliation will');
      return;
    }
    forget(gateway, { id: approvalId }, 'run-resumed');
  };
  setTimeout(() => void signal(), SOON_MS).unref();
}

/**
 * Starts the workflow of a new approval, after commit. While many starts are under way, resolves
 * before the start. If the start fails, the reconciliation repeats the start later.
 */
export async function startApprovalWorkflow(gateway: Gateway, approval: Approval): Promise<void> {
  await gateway.approvalStarts.begin(approval.id, async () => {
    try {
      await gateway.orchestrator.startApproval(approval);
    } catch (error) {
      logLater(gateway, approval, error, 'approval workflow not started, left to the reconciliation');
      return;
    }
    forget(gateway, approval, 'approval-requested');
  });
}

/**
 * Returns true for the error of an unavailable orchestrator. An outage is logged only once, when it
 * begins.
 */
export function isOrchestratorUnavailable(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'UNAVAILABLE';
}

/** Deletes a sent entry from the outbox, in the background. Sending an entry twice is harmless. */
function forget(gateway: Gateway, approval: Pick<Approval, 'id'>, kind: OutboxEntry['kind']): void {
  const deleted = gateway.deleteOutbox({ kind, approvalId: approval.id });
  const failed = (error: unknown) => logLater(gateway, approval, error, 'outbox entry not deleted, left to the reconciliation');
  void gateway.background.track(deleted.catch(failed));
}

function logLater({ logger }: Gateway, { id }: Pick<Approval, 'id'>, error: unknown, message: string): void {
  logger[isOrchestratorUnavailable(error) ? 'debug' : 'warn']({ approvalId: id, error: String(error) }, message);
}

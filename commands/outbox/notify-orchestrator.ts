import type { Approval } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Signals the workflow, after commit, that an approval is settled. Never rejects: if that fails,
 * the reconciliation does it later.
 */
export async function signalSettled(gateway: Gateway, approval: Approval): Promise<void> {
  const isUnstarted = gateway.approvalStarts.drop(approval.id);
  try {
    await gateway.orchestrator.signalSettled(approval);
  } catch (error) {
    logLater(gateway, approval, error, 'settlement not signaled, the reconciliation will');
    return;
  }
  forget(gateway, approval, 'approval-settled');
  // The signal started the workflow.
  if (isUnstarted) forget(gateway, approval, 'approval-requested');
}

/** Longer than a pass without outside calls takes. */
const SOON_MS = 100;

/**
 * Like `signalSettled`, after a moment, which leaves the processor to an eager pass that a caller
 * waits for. If the process ends before, the reconciliation does it later.
 */
export function signalSettledSoon(gateway: Gateway, approval: Approval): void {
  setTimeout(() => void signalSettled(gateway, approval), SOON_MS).unref();
}

/**
 * Starts the workflow of a new approval, after commit. In a flood it resolves before the start. If
 * the start fails, the reconciliation does it later.
 */
export async function startApprovalWorkflow(gateway: Gateway, approval: Approval): Promise<void> {
  await gateway.approvalStarts.begin(approval.id, async () => {
    try {
      await gateway.orchestrator.startApproval(approval);
    } catch (error) {
      logLater(gateway, approval, error, 'approval workflow not started, the reconciliation will');
      return;
    }
    forget(gateway, approval, 'approval-requested');
  });
}

/** True for the error of an unavailable orchestrator. An outage is logged once, when it begins. */
export function isOrchestratorUnavailable(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'UNAVAILABLE';
}

/**
 * Deletes a delivered entry from the outbox, in the background: delivering it twice is harmless.
 */
function forget(gateway: Gateway, approval: Approval, kind: 'approval-requested' | 'approval-settled'): void {
  const deleted = gateway.deleteOutbox({ kind, approvalId: approval.id });
  const failed = (error: unknown) => logLater(gateway, approval, error, 'outbox entry not deleted, the reconciliation will');
  void gateway.background.track(deleted.catch(failed));
}

function logLater({ logger }: Gateway, { id }: Approval, error: unknown, message: string): void {
  logger[isOrchestratorUnavailable(error) ? 'debug' : 'warn']({ approvalId: id, error: String(error) }, message);
}

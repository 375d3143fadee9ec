import type { Approval } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { NewOutboxEntry } from '../../store/outbox.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Signals to an approval's workflow, after commit, that the approval is settled. Never rejects: the
 * reconciliation (`reconcile.ts`) repeats a failed signal.
 */
export async function signalSettled(gateway: Gateway, approval: Approval): Promise<void> {
  const isUnstarted = gateway.approvalStarts.drop(approval.id);
  const isSent = await deliver(
    gateway,
    { kind: 'approval-settled', approvalId: approval.id },
    'approval settlement not signaled, left to the reconciliation',
    () => gateway.orchestrator.signalSettled(approval),
  );
  // The signal also started the workflow, so the entry of the start is done.
  if (isSent && isUnstarted) forget(gateway, { kind: 'approval-requested', approvalId: approval.id });
}

/** Most code runs that wait for no third party end within this time. */
const SOON_MS = 100;

/**
 * Like `signalSettled`, but later, so that a run with a waiting caller gets the processor first.
 */
export function signalSettledSoon(gateway: Gateway, approval: Approval): void {
  setTimeout(() => void signalSettled(gateway, approval), SOON_MS).unref();
}

/** Signals to the workflow of a run, a little later, that a continuation resumed the run. */
export function signalResumedSoon(gateway: Gateway, { codeRunId, approvalId }: { codeRunId: string; approvalId: string }): void {
  const signal = () =>
    deliver(gateway, { kind: 'run-resumed', approvalId }, 'resumption not signaled, left to the reconciliation', () =>
      gateway.orchestrator.signalResumed(codeRunId, approvalId),
    );
  setTimeout(() => void signal(), SOON_MS).unref();
}

/**
 * Starts the workflow of a new approval, after commit. The reconciliation repeats a failed start.
 */
export async function startApprovalWorkflow(gateway: Gateway, approval: Approval): Promise<void> {
  await gateway.approvalStarts.begin(approval.id, async () => {
    const entry = { kind: 'approval-requested', approvalId: approval.id } as const;
    await deliver(gateway, entry, 'approval workflow not started, left to the reconciliation', () =>
      gateway.orchestrator.startApproval(approval),
    );
  });
}

/**
 * True for the error of an unavailable orchestrator. The beginning of an outage is already logged,
 * so callers do not warn.
 */
export function isOrchestratorUnavailable(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'UNAVAILABLE';
}

/** Never rejects. */
async function deliver(gateway: Gateway, entry: NewOutboxEntry, failure: string, send: () => Promise<void>): Promise<boolean> {
  try {
    await send();
  } catch (error) {
    logLater(gateway, entry, error, failure);
    return false;
  }
  forget(gateway, entry);
  return true;
}

/**
 * Deletes an entry in the background. If this fails, the entry is sent again, which is harmless.
 */
function forget(gateway: Gateway, entry: NewOutboxEntry): void {
  const failed = (error: unknown) => logLater(gateway, entry, error, 'outbox entry not deleted, left to the reconciliation');
  void gateway.background.track(gateway.deleteOutbox(entry).catch(failed));
}

function logLater({ logger }: Gateway, { approvalId }: NewOutboxEntry, error: unknown, message: string): void {
  logger[isOrchestratorUnavailable(error) ? 'debug' : 'warn']({ approvalId, error: String(error) }, message);
}

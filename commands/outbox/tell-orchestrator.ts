import type { Approval } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import { deleteOutbox } from '../../store/outbox.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Signals the workflow, after commit, that an approval is settled. Never rejects: if that fails,
 * the reconciliation does it later.
 */
export async function signalSettled(gateway: Gateway, approval: Approval): Promise<void> {
  try {
    await gateway.orchestrator.signalSettled(approval);
    await deleteOutbox(gateway.db, { kind: 'approval-settled', approvalId: approval.id });
  } catch (error) {
    logLater(gateway, approval, error, 'settlement not signaled, the reconciliation will');
  }
}

/** Longer than a pass without outside calls takes. */
const SOON_MS = 100;

/**
 * The same after a moment, which leaves the processor to an eager pass that a caller waits for. If
 * the process ends before, the reconciliation does it later.
 */
export function signalSettledSoon(gateway: Gateway, approval: Approval): void {
  setTimeout(() => void signalSettled(gateway, approval), SOON_MS).unref();
}

/**
 * Starts the workflow of a new approval, after commit. If that fails, the reconciliation does it
 * later.
 */
export async function startApprovalWorkflow(gateway: Gateway, approval: Approval): Promise<void> {
  try {
    await gateway.orchestrator.startApproval(approval);
    await deleteOutbox(gateway.db, { kind: 'approval-requested', approvalId: approval.id });
  } catch (error) {
    logLater(gateway, approval, error, 'approval workflow not started, the reconciliation will');
  }
}

/**
 * True for the error of an orchestrator that is away. The outage is logged once, where it begins.
 */
export function isOrchestratorAway(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'UNAVAILABLE';
}

function logLater({ logger }: Gateway, { id }: Approval, error: unknown, message: string): void {
  logger[isOrchestratorAway(error) ? 'debug' : 'warn']({ approvalId: id, error: String(error) }, message);
}

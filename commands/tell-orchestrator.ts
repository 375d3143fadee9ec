import type { Approval } from '../domain/approval.ts';
import { deleteOutbox } from '../store/outbox.ts';
import type { Gateway } from './gateway.ts';

/** Tells the durable side, after commit, that an approval was settled; when that fails, the relay tells it later. */
export async function tellSettled(gateway: Gateway, approval: Approval): Promise<void> {
  try {
    await gateway.orchestrator.tellSettled(approval);
    await deleteOutbox(gateway.db, { kind: 'approval-settled', subjectId: approval.id });
  } catch (error) {
    gateway.logger.warn({ approvalId: approval.id, error: String(error) }, 'decision not told yet; the relay will');
  }
}

/** A pass of a run that needs nothing from outside ends sooner. */
const SOON_MS = 100;

/**
 * The same a moment later: a pass that begins by Postgres' notice, and for which somebody waits, has the machine for itself until then. A process that ends meanwhile
 * leaves it to the relay.
 */
export function tellSettledSoon(gateway: Gateway, approval: Approval): void {
  setTimeout(() => void tellSettled(gateway, approval), SOON_MS).unref();
}

/** Tells the durable side, after commit, of a new approval; when that fails, the relay tells it later. */
export async function tellRequested(gateway: Gateway, approval: Approval): Promise<void> {
  try {
    await gateway.orchestrator.startApproval(approval);
    await deleteOutbox(gateway.db, { kind: 'approval-requested', subjectId: approval.id });
  } catch (error) {
    gateway.logger.warn({ approvalId: approval.id, error: String(error) }, 'approval workflow not started yet; the relay will');
  }
}

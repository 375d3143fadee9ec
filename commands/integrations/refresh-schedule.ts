import type { CustomIntegration } from '../../domain/custom-integrations/custom-integration.ts';
import { coalesceCalls } from '../../infra/concurrency/coalesce-calls.ts';
import { leaseDueIntegrations } from '../../store/custom-integrations.ts';
import type { Gateway } from '../gateway.ts';
import { refreshOwnIntegration } from './refresh-own-integration.ts';

/**
 * Maximum number of refreshes at the same time in one process. Each organization has at most one.
 */
const MAX_RUNNING = 4;
/** How long no other process refreshes a leased integration. One import takes less. */
const LEASE_SECONDS = 180;

/** The scheduled refreshes of one process. */
export interface RefreshSchedule {
  /** Starts the refreshes that are due and does not wait for their end. */
  turn(): Promise<void>;
  /**
   * Resolves when this process runs no refresh. Each refresh that ends starts those that are due.
   */
  idle(): Promise<void>;
  /** Starts no further refreshes, and waits for the running ones. */
  close(): Promise<void>;
}

/**
 * Refreshes custom integrations that are due, one at a time per organization, so that slow or many
 * sources of one do not delay the others. A failure is recorded. The next attempt follows the
 * schedule.
 */
export function openRefreshSchedule(gateway: Gateway): RefreshSchedule {
  /** By organization. */
  const running = new Map<string, Promise<void>>();
  let isClosed = false;
  const begin = coalesceCalls(async () => {
    const limit = MAX_RUNNING - running.size;
    if (isClosed || limit === 0) return;
    const due = await leaseDueIntegrations(gateway.db, { leaseSeconds: LEASE_SECONDS, limit, exceptOrgIds: [...running.keys()] });
    for (const record of due) running.set(record.orgId, refresh(record));
  });
  const refresh = async (record: CustomIntegration): Promise<void> => {
    await refreshOnSchedule(gateway, record);
    running.delete(record.orgId);
    // Where this fails, the next turn begins what is due.
    await begin().catch(() => {});
  };
  const idle = async () => {
    while (running.size > 0) await Promise.all(running.values());
  };
  return {
    turn: begin,
    idle,
    close() {
      isClosed = true;
      return idle();
    },
  };
}

async function refreshOnSchedule(gateway: Gateway, record: CustomIntegration): Promise<void> {
  await refreshOwnIntegration(gateway, record, { detectedBy: 'schedule' }).catch((error) =>
    gateway.logger.warn({ integrationId: record.id, error: String(error) }, 'integration refresh failed'),
  );
}

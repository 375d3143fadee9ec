import type { CustomIntegration } from '../../domain/custom-integrations/custom-integration.ts';
import { coalesceCalls } from '../../infra/concurrency/coalesce-calls.ts';
import { leaseDueIntegrations } from '../../store/custom-integrations.ts';
import type { Gateway } from '../gateway.ts';
import { refreshOwnIntegration } from './refresh-own-integration.ts';

/** Maximum number of concurrent refreshes in a process. Each is for a different organization. */
const MAX_RUNNING = 4;
/** For this time, no other process refreshes a leased integration. A refresh usually takes less. */
const LEASE_SECONDS = 180;

/** The scheduled refreshes of one process. */
export interface RefreshSchedule {
  /** Starts the refreshes that are due, without waiting for their end. */
  turn(): Promise<void>;
  /**
   * Resolves when this process runs no scheduled refresh. Until then, further due refreshes can
   * start.
   */
  idle(): Promise<void>;
  /** Leases no further integrations, and waits for the refreshes of those that are leased. */
  close(): Promise<void>;
}

/**
 * Refreshes custom integrations that are due. In one process, one refresh of an organization runs
 * at a time.
 */
export function openRefreshSchedule(gateway: Gateway): RefreshSchedule {
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
    // If this fails, the next turn starts the refreshes that are due.
    await begin().catch(() => {});
  };
  const idle = async () => {
    while (running.size > 0) await Promise.all(running.values());
  };
  return {
    turn: begin,
    idle,
    async close() {
      isClosed = true;
      await begin().catch(() => {}); // a lease that is under way
      await idle();
    },
  };
}

async function refreshOnSchedule(gateway: Gateway, record: CustomIntegration): Promise<void> {
  await refreshOwnIntegration(gateway, record, { detectedBy: 'schedule' }).catch((error) =>
    gateway.logger.warn({ integrationId: record.id, error: String(error) }, 'integration refresh failed'),
  );
}

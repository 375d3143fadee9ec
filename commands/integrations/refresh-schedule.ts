import type { CustomIntegration } from '../../domain/custom-integrations/custom-integration.ts';
import { coalesceCalls } from '../../infra/concurrency/coalesce-calls.ts';
import { leaseDueIntegrations } from '../../store/custom-integrations.ts';
import type { Gateway } from '../gateway.ts';
import { refreshOwnIntegration } from './refresh-own-integration.ts';

/** Refreshes that run at the same time in one process, each of another organization. */
const MAX_RUNNING = 4;
/** Covers one import with its time limits. */
const LEASE_SECONDS = 180;

/** The scheduled refreshes of one process. */
export interface RefreshSchedule {
  /** Begins what is due and does not wait for its end. */
  turn(): Promise<void>;
  /** Resolves when nothing runs any more and nothing else is due. */
  idle(): Promise<void>;
  /** Begins no more, and waits for what runs. */
  close(): Promise<void>;
}

/**
 * Refreshes own integrations whose schedule is due, one at a time of each organization: sources
 * that are slow or many delay no other organization. A failure is noted in the record, and the next
 * try is at the next time of the schedule.
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

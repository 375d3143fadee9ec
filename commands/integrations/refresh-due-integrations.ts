import pLimit from 'p-limit';
import type { CustomIntegration } from '../../domain/custom-integrations/custom-integration.ts';
import { leaseDueIntegrations } from '../../store/custom-integrations.ts';
import type { Gateway } from '../gateway.ts';
import { refreshOwnIntegration } from './refresh-own-integration.ts';

/** Most integrations that one turn refreshes, and how many at a time. */
const TURN = { limit: 10, concurrency: 2 } as const;

/** Covers one import with its time limits. */
const LEASE_SECONDS = 180;

/**
 * Refreshes own integrations whose schedule is due. A failure is noted in the record, and the next
 * try is at the next time of the schedule.
 */
export async function refreshDueIntegrations(gateway: Gateway): Promise<void> {
  const due = await leaseDueIntegrations(gateway.db, { leaseSeconds: LEASE_SECONDS, limit: TURN.limit });
  const limit = pLimit(TURN.concurrency);
  await Promise.all(due.map((record) => limit(() => refreshOnSchedule(gateway, record))));
}

async function refreshOnSchedule(gateway: Gateway, record: CustomIntegration): Promise<void> {
  await refreshOwnIntegration(gateway, record, { detectedBy: 'schedule' }).catch((error) =>
    gateway.logger.warn({ integrationId: record.id, error: String(error) }, 'integration refresh failed'),
  );
}

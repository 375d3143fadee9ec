import { compareChanges } from '../../integrations/custom/changes/compare-changes.ts';
import type { Compared, Comparison } from '../../integrations/custom/changes/comparison.ts';
import type { Gateway } from '../gateway.ts';
import { limitPerTenant, slotsFor } from './import-slots.ts';

/** Limits the comparisons in threads that one organization runs or has waiting in this process. */
const limited = limitPerTenant(20);
const WAIT_SECONDS = 60;

/**
 * Runs a comparison for an organization, in a thread if the compared content is large.
 * Organizations share the threads fairly. Throws DOCUMENT_TOO_COMPLEX. Throws RATE_LIMITED if too
 * many comparisons of the organization run or wait for a thread, or if no thread is free within
 * WAIT_SECONDS.
 */
export async function compareContent<Task extends Comparison>(
  gateway: Pick<Gateway, 'schedulers'>,
  orgId: string,
  task: Task,
): Promise<Compared<Task>> {
  const signal = AbortSignal.timeout(WAIT_SECONDS * 1000);
  const withSlot = slotsFor(gateway, orgId, signal);
  return compareChanges(task, { signal, withSlot: (kind, work) => limited(orgId, () => withSlot(kind, work)) });
}

import { compareChanges } from '../../integrations/custom/changes/compare-changes.ts';
import type { Compared, Comparison } from '../../integrations/custom/changes/comparison.ts';
import type { Gateway } from '../gateway.ts';
import { limitPerTenant, slotsFor } from './import-slots.ts';

/** Maximum number of comparisons per organization and process, running or waiting. */
const limited = limitPerTenant(20);
const WAIT_SECONDS = 60;

/**
 * Runs a comparison for an organization. Throws DOCUMENT_TOO_COMPLEX, and RATE_LIMITED if the
 * organization runs too many comparisons or no thread is free within WAIT_SECONDS.
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

import { mergeApprovalCounts } from '../../store/approval-counts.ts';
import type { Gateway } from '../gateway.ts';

const BATCH = 20_000;

/**
 * Merges recorded changes into the counts of approvals, so that a total reads few rows. Totals are
 * exact even without a merge.
 */
export async function mergeCounts({ db }: Pick<Gateway, 'db'>): Promise<void> {
  while ((await mergeApprovalCounts(db, BATCH)) === BATCH) {}
}

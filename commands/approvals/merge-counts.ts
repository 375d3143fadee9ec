import { mergeApprovalCounts } from '../../store/approval-counts.ts';
import type { Gateway } from '../gateway.ts';

const BATCH = 20_000;

/**
 * Merges recorded changes into the counts of approvals, so that few rows are read for a total.
 * Totals are exact even without a merge. Several processes can merge concurrently.
 */
export async function mergeCounts({ db }: Pick<Gateway, 'db'>): Promise<void> {
  while ((await mergeApprovalCounts(db, BATCH)) === BATCH) {}
}

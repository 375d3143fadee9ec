import { mergeApprovalCounts } from '../../store/approval-counts.ts';
import type { Gateway } from '../gateway.ts';

const BATCH = 20_000;

/**
 * Merges the changes of the numbers of approvals, so that counting reads few rows. The numbers are
 * exact without it too. Several processes may do so side by side.
 */
export async function mergeCounts({ db }: Pick<Gateway, 'db'>): Promise<void> {
  while ((await mergeApprovalCounts(db, BATCH)) === BATCH) {}
}

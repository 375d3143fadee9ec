import type { Db } from '../../infra/database.ts';
import { listUnrecorded } from '../../store/unrecorded.ts';
import type { ChainProblem } from './verify-activity.ts';

/** Maximum number of problems that are listed for one organization. */
const NAMED = 100;

/**
 * Finds approvals, receipts, calls, deliveries and policies that lack their rows in the activity
 * log. The hash chain of the log shows a removed row only if later rows are left. The records in
 * these tables also show that the end of a chain, or a whole chain, was removed. Returns the
 * problems by organization.
 */
export async function findUnrecorded(db: Db, orgId?: string): Promise<Map<string, ChainProblem[]>> {
  const found = Map.groupBy(await listUnrecorded(db, NAMED, orgId), (row) => row.orgId);
  return new Map(
    [...found].map(([orgId, rows]) => {
      const problems = rows.map(({ what, id, type }) => `the ${what} ${id} has no row ${type}`);
      const more = rows[0]!.total - rows.length;
      if (more > 0) problems.push(`and ${more} more rows are missing`);
      return [orgId, problems.map((problem) => ({ position: null, id: null, problem }))];
    }),
  );
}

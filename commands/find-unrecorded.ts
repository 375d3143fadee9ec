import type { Db } from '../infra/database.ts';
import { listUnrecorded } from '../store/unrecorded.ts';
import type { ChainProblem } from './verify-activity.ts';

/** So many are named of an organization. */
const NAMED = 100;

/**
 * Holds the audit trail against the approvals, receipts, calls, deliveries and policies that must have rows in it: a chain says that nothing was taken
 * out of its middle, and only they say that its end, or all of it, is there. Answers by organization what is missing.
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

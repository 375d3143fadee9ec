import type { Db } from '../../infra/database.ts';
import { listUnrecorded } from '../../store/unrecorded.ts';
import type { ChainProblem } from './verify-activity.ts';

/** Maximum number of named records per organization. */
const NAMED = 100;

/**
 * Finds records that lack their rows in the activity log, by organization. Such a record shows that
 * the end of a hash chain, or a whole chain, was removed. The chain itself cannot show this.
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

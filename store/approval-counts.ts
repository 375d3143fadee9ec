import { type Db, runPrepared } from '../infra/database.ts';

const COUNTED_BY = 'org_id, workspace_id, status, source, integration_name, action_name';

/**
 * SQL: the exact number of matching approvals (decision record 74). `matching`: a condition on the
 * columns `COUNTED_BY`.
 */
export function approvalCount(matching: string): string {
  return `select coalesce(sum(total), 0)::bigint as total from (
      select total from approval_counts where ${matching} union all select total from approval_count_changes where ${matching}) counted`;
}

const MERGE = {
  name: 'merge-approval-counts',
  text: `
    with merged as (
      delete from approval_count_changes where ctid = any(array(select ctid from approval_count_changes limit $1 for update skip locked))
      returning *),
    added as (
      insert into approval_counts (${COUNTED_BY}, total)
      select ${COUNTED_BY}, sum(total) from merged group by ${COUNTED_BY} having sum(total) <> 0 order by ${COUNTED_BY}
      on conflict (${COUNTED_BY}) do update set total = approval_counts.total + excluded.total)
    select count(*)::int as merged from merged`,
};

/**
 * Merges at most `limit` changes into the counts. Returns their number. Writes in order, so that
 * concurrent merges cannot deadlock.
 */
export async function mergeApprovalCounts(db: Db, limit: number): Promise<number> {
  const [row] = await runPrepared<{ merged: number }>(db, MERGE, [limit]);
  return row!.merged;
}

import type { Db } from '../infra/database.ts';

/** Calls from the time `from` on, in `parts` parts of `secondsOfPart` seconds each. */
export interface CallCountQuery {
  orgId: string;
  workspaceId: string | undefined;
  from: Date;
  parts: number;
  secondsOfPart: number;
}

/** The number of calls that began in each part of the time, oldest part first. */
export async function countCallsByTime(db: Db, { orgId, workspaceId, from, parts, secondsOfPart }: CallCountQuery): Promise<number[]> {
  const { rows } = await db.raw(
    `select floor(extract(epoch from started_at - cast(:from as timestamptz)) / :secondsOfPart)::int as part, count(*)::int as total
     from calls where org_id = :orgId and started_at >= :from and started_at < cast(:from as timestamptz) + :seconds * interval '1 second'
       ${workspaceId === undefined ? '' : 'and workspace_id = :workspaceId'} group by part`,
    { orgId, from, secondsOfPart, seconds: parts * secondsOfPart, ...(workspaceId !== undefined && { workspaceId }) },
  );
  const counts = new Array<number>(parts).fill(0);
  for (const { part, total } of rows as { part: number; total: number }[]) if (part >= 0 && part < parts) counts[part] = total;
  return counts;
}

const MAX_SEARCHED = 20_000;

/**
 * Whether the organization ever made a call. With a workspace: whether one of the newest calls is
 * from this workspace.
 */
export async function findAnyCall(db: Db, orgId: string, workspaceId: string | undefined): Promise<boolean> {
  const calls = db('calls').where({ org_id: orgId });
  if (workspaceId === undefined) return (await calls.first('id')) !== undefined;
  const newest = calls.select('workspace_id').orderBy('started_at', 'desc').limit(MAX_SEARCHED).as('newest');
  return (await db.from(newest).where({ workspace_id: workspaceId }).first(db.raw('1 as found'))) !== undefined;
}

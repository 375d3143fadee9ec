import type { Knex } from 'knex';
import type { ShadowJudgement } from '../domain/policies/judge-shadows.ts';
import type { RecordedFacts } from '../domain/policies/recorded-facts.ts';
import type { RecordedCall } from '../domain/policies/replay-call.ts';
import type { Db } from '../infra/database.ts';
import { columns } from './columns.ts';

const KEPT_IN = [
  ['calls', 'started_at'],
  ['approvals', 'created_at'],
] as const;

/**
 * Deletes facts older than `keptDays` days, from at most `limit` rows of each table. Several
 * processes can call this concurrently.
 */
export async function deleteOldFacts(db: Db, keptDays: number, limit: number): Promise<number> {
  let deleted = 0;
  for (const [table, time] of KEPT_IN) {
    const old = db(table)
      .select('id')
      .whereNotNull('facts')
      .andWhereRaw("?? < now() - ? * interval '1 day'", [time, keptDays])
      .orderBy(time)
      .limit(limit)
      .forUpdate()
      .skipLocked();
    deleted += await db(table).whereIn('id', old).update({ facts: null });
  }
  return deleted;
}

/** A past call, to be judged again by policies. */
export interface StoredCall extends Omit<RecordedCall, 'facts'> {
  /** Id of the row in `calls`; null for a call of `listHeldCalls`. */
  callId: string | null;
  approvalId: string | null;
  at: Date;
  /** Null if no facts were kept. */
  facts: RecordedFacts | null;
  /** The place after which the next page continues. */
  cursor: CallCursor;
}

export interface CallCursor {
  at: string;
  id: string;
}

/** The calls of an organization, or of some workspaces, in a period. */
export interface CallFilter {
  orgId: string;
  workspaceIds: 'all' | readonly string[];
  from: Date;
  to: Date;
}

const SUBJECT = columns<StoredCall>(
  ...(['workspaceId', 'source', 'mcpServerId', 'workspaceIntegrationId', 'integrationName', 'integrationAlias'] as const),
  ...(['actionName', 'endUserId', 'approvalId', 'facts'] as const),
);

/** Returns a page of the recorded calls of a period, newest first. */
export async function listCalls(db: Db, filter: CallFilter, page: CallPage): Promise<StoredCall[]> {
  const query = db('calls').select(SUBJECT).select('id as callId');
  return readPage(query, filter, page, 'started_at');
}

/**
 * Like `listCalls`, for calls outside of code runs that did not run, because their approval is not
 * consumed.
 */
export async function listHeldCalls(db: Db, filter: CallFilter, page: CallPage): Promise<StoredCall[]> {
  const query = db('approvals')
    .select(SUBJECT.map((column) => (column.endsWith('approvalId') ? 'id as approvalId' : column)))
    .select(db.raw('null as "callId"'))
    .whereNull('code_run_id')
    .whereNot({ status: 'consumed' });
  return readPage(query, filter, page, 'created_at');
}

interface CallPage {
  limit: number;
  after?: CallCursor | undefined;
}

async function readPage(query: Knex.QueryBuilder, { orgId, workspaceIds, from, to }: CallFilter, page: CallPage, time: string) {
  query
    .select(query.client.raw(`to_char(?? at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "cursorAt"`, [time]))
    .select(`${time} as at`, 'id as cursorId')
    .where({ org_id: orgId })
    .whereBetween(time, [from, to])
    .orderBy([time, 'id'].map((column) => ({ column, order: 'desc' })))
    .limit(page.limit);
  if (workspaceIds !== 'all') query.whereIn('workspace_id', [...workspaceIds]);
  if (page.after) query.andWhereRaw('(??, id) < (?::timestamptz, ?)', [time, page.after.at, page.after.id]);
  const rows: (Omit<StoredCall, 'cursor'> & { cursorAt: string; cursorId: string })[] = await query;
  return rows.map(({ cursorAt: at, cursorId: id, ...call }): StoredCall => ({ ...call, cursor: { at, id } }));
}

/**
 * The newest calls that match a shadow policy, and the number of calls for each decision that it
 * would have made.
 */
export interface ShadowRecord {
  counts: { would: ShadowJudgement['would']; calls: number }[];
  examples: (Pick<StoredCall, 'callId' | 'approvalId' | 'at' | 'integrationName' | 'actionName' | 'facts'> &
    Pick<ShadowJudgement, 'would'>)[];
}

/** What a shadow policy would have done with the calls of a period. */
export async function readShadowRecord(db: Db, filter: CallFilter, policyId: string, maxExamples: number): Promise<ShadowRecord> {
  const meant = JSON.stringify([{ policyId }]);
  const found = (table: string, time: string, ids: string) => {
    const query = db(table)
      .select('integration_name', 'action_name', 'facts', `${time} as at`, db.raw(ids))
      .select(
        db.raw("(select one ->> 'would' from jsonb_array_elements(facts -> 'shadow') one where one ->> 'policyId' = ?) as would", [
          policyId,
        ]),
      )
      .where({ org_id: filter.orgId })
      .whereBetween(time, [filter.from, filter.to])
      .whereRaw("(facts -> 'shadow') is not null and (facts -> 'shadow') @> ?::jsonb", [meant]);
    if (filter.workspaceIds !== 'all') query.whereIn('workspace_id', [...filter.workspaceIds]);
    return table === 'approvals' ? query.whereNull('code_run_id').whereNot({ status: 'consumed' }) : query;
  };
  const all = found('calls', 'started_at', 'id as call_id, approval_id').unionAll(
    found('approvals', 'created_at', 'null::uuid as call_id, id as approval_id'),
  );
  const [counts, examples] = await Promise.all([
    db.from(all.clone().as('found')).select('would').count({ calls: '*' }).groupBy('would'),
    db
      .from(all.clone().as('found'))
      .select('call_id as callId', 'approval_id as approvalId', 'at', 'integration_name as integrationName', 'action_name as actionName')
      .select('facts', 'would')
      .orderBy('at', 'desc')
      .limit(maxExamples),
  ]);
  return { counts: counts.map(({ would, calls }) => ({ would, calls: Number(calls) })), examples };
}

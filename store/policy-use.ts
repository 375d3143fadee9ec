import type { Knex } from 'knex';
import type { ActionCategory, PolicyDecision } from '../domain/policies/policy.ts';
import type { DecidedCall } from '../domain/policies/repeated-yeses.ts';
import type { Db } from '../infra/database.ts';
import { columns } from './columns.ts';

/** The calls of an organization in a period, or only those of one workspace. */
export interface UseFilter {
  orgId: string;
  workspaceId: string | undefined;
  from: Date;
  to: Date;
}

/**
 * The policies whose calls are counted. For a policy in shadow mode, the recorded judgements count.
 */
export interface CountedPolicies {
  enforced: readonly string[];
  shadow: readonly string[];
}

/** The number of calls that a policy decided in one part of the period. */
export interface PolicyUse {
  policyId: string;
  /** The position of the part in the period, from 0, oldest part first. */
  part: number;
  calls: number;
}

/**
 * Divides a period into equal parts. Counts for each part the calls that policies decided, or would
 * have decided in shadow mode.
 */
export async function countPolicyUse(db: Db, filter: UseFilter, policies: CountedPolicies, parts: number): Promise<PolicyUse[]> {
  const { enforced, shadow } = policies;
  if (enforced.length + shadow.length === 0) return [];
  const decided = calls(db, filter)
    .select('facts_policy_id as policy_id', 'started_at as at')
    .whereIn('facts_policy_id', [...enforced]);
  const held = heldCalls(db, filter)
    .select('policy_id', 'created_at as at')
    .whereIn('policy_id', [...enforced]);
  const ofShadows = () => [
    shadowed(db, calls(db, filter), 'started_at', shadow),
    shadowed(db, heldCalls(db, filter), 'created_at', shadow),
  ];
  const found = shadow.length === 0 ? [held] : [held, ...ofShadows()];
  const rows: PolicyUse[] = await db
    .from(decided.unionAll(found).as('found'))
    .select('policy_id as policyId', partOf(db, filter, parts))
    .select(db.raw('count(*)::int as calls'))
    .groupBy('policy_id', 'part');
  return rows;
}

/** The last part includes the end of the period. */
function partOf(db: Db, { from, to }: UseFilter, parts: number) {
  const bucket = "width_bucket(date_part('epoch', at), ?::float8, ?::float8, ?::int)";
  return db.raw(`least(${bucket}, ?::int) - 1 as part`, [from.getTime() / 1000, to.getTime() / 1000, parts, parts]);
}

/** The number of calls with the same category and decision. */
export interface Coverage {
  /** Null if the category is not known. */
  category: ActionCategory | null;
  /** Null if no policy decided. */
  decision: PolicyDecision | null;
  calls: number;
}

/** Counts the calls of a period by category and decision. */
export async function countCoverage(db: Db, filter: UseFilter): Promise<Coverage[]> {
  const recorded = calls(db, filter).select('facts_category as category', 'facts_decision as decision');
  const held = heldCalls(db, filter).select('facts_category as category', db.raw("'require_approval' as decision"));
  return db
    .from(recorded.unionAll(held).as('found'))
    .select('category', 'decision', db.raw('count(*)::int as calls'))
    .groupBy('category', 'decision');
}

function calls(db: Db, filter: UseFilter): Knex.QueryBuilder {
  return inTime(db('calls'), filter, 'started_at').whereNotNull('facts');
}

function heldCalls(db: Db, filter: UseFilter): Knex.QueryBuilder {
  return inTime(db('approvals'), filter, 'created_at').whereNull('code_run_id').whereNot({ status: 'consumed' });
}

function inTime(query: Knex.QueryBuilder, { orgId, workspaceId, from, to }: UseFilter, time: string): Knex.QueryBuilder {
  query.where({ org_id: orgId }).whereBetween(time, [from, to]);
  return workspaceId === undefined ? query : query.andWhere({ workspace_id: workspaceId });
}

function shadowed(db: Db, query: Knex.QueryBuilder, time: string, policyIds: readonly string[]): Knex.QueryBuilder {
  // One condition for each policy, because the index does not support a list.
  const recorded = policyIds.map(() => "(facts -> 'shadow') @> ?::jsonb").join(' or ');
  return query
    .joinRaw("cross join lateral jsonb_array_elements(facts -> 'shadow') as one")
    .select(db.raw("(one ->> 'policyId')::uuid as policy_id"), `${time} as at`)
    .whereRaw(
      `(facts -> 'shadow') is not null and (${recorded})`,
      policyIds.map((policyId) => JSON.stringify([{ policyId }])),
    )
    .whereRaw("one ->> 'policyId' = any(?)", [[...policyIds]]);
}

const MAX_SEARCHED = 1000;

/**
 * Returns a policy's approvals among the newest approvals of the organization, last decided first.
 * Undecided approvals come last.
 */
export async function listDecidedCalls(db: Db, orgId: string, policyId: string): Promise<DecidedCall[]> {
  const newest = db('approvals').where({ org_id: orgId }).orderBy('created_at', 'desc').limit(MAX_SEARCHED).as('newest');
  return db
    .from(newest)
    .select(columns<DecidedCall>('policyVersion', 'workspaceId', 'source', 'integrationName', 'actionName', 'status'))
    .select(columns<DecidedCall>('decidedByType', 'decidedById', 'facts'))
    .where({ policy_id: policyId })
    .orderByRaw('decided_at desc nulls last');
}

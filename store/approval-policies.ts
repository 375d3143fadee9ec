import type { Policy, PolicyFields } from '../domain/policies/policy.ts';
import { isAllowlist } from '../domain/policies/policy-overlap.ts';
import type { Db } from '../infra/database.ts';
import { columns, toRow } from './columns.ts';

const COLUMNS = columns<Policy>(
  'id',
  'orgId',
  'workspaceId',
  'version',
  'name',
  'description',
  'enabled',
  'mode',
  'priority',
  'sources',
  'mcpServerIds',
  'workspaceIntegrationIds',
  'integrationNames',
  'integrationAliases',
  'actionNames',
  'connectionStrategies',
  'endUserMode',
  'decision',
  'riskMode',
  'rules',
  'approvers',
  'timeoutSeconds',
  'defaultOnTimeout',
  'reuseWindowSeconds',
  'approvalAccessMode',
  'metadata',
  'createdAt',
  'updatedAt',
);
const JSON_FIELDS = ['rules', 'approvers', 'metadata'];

export async function insertApprovalPolicy(db: Db, policy: PolicyFields & { orgId: string }): Promise<Policy> {
  const [row] = await db('approval_policies').insert(toRow(policy, JSON_FIELDS)).returning(COLUMNS);
  return row;
}

/** Counts all policies, including disabled ones. */
export async function countApprovalPolicies(db: Db, orgId: string): Promise<number> {
  const [row] = await db('approval_policies').where({ org_id: orgId }).count({ count: '*' });
  return Number(row!.count);
}

export async function findApprovalPolicy(db: Db, orgId: string, id: string): Promise<Policy | undefined> {
  return db('approval_policies').select(COLUMNS).where({ org_id: orgId, id }).first();
}

/**
 * Returns policies of an organization, oldest first. `workspaceIds`: only policies that apply in
 * these workspaces, including organization-wide ones.
 */
export async function listApprovalPolicies(db: Db, filter: { orgId: string; workspaceIds?: readonly string[] }): Promise<Policy[]> {
  const { workspaceIds } = filter;
  if (workspaceIds?.length === 0) return [];
  const query = db('approval_policies')
    .select(COLUMNS)
    .where({ org_id: filter.orgId })
    .orderBy([{ column: 'created_at' }, { column: 'id' }]);
  return workspaceIds ? query.andWhere((where) => where.whereNull('workspace_id').orWhereIn('workspace_id', [...workspaceIds])) : query;
}

/**
 * Returns enforced policies of the same or an earlier priority whose rules fire whenever the rules
 * of the given policy fire. The page is ordered by ID.
 */
export async function listPoliciesBefore(
  db: Db,
  { orgId, workspaceId, priority, rules }: Policy,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<Policy[]> {
  const query = db('approval_policies')
    .select(COLUMNS)
    .where({ org_id: orgId, enabled: true, mode: 'enforce' })
    .andWhere('priority', '<=', priority)
    .andWhere((where) => where.whereNull('workspace_id').orWhere({ workspace_id: workspaceId }))
    .andWhere((where) =>
      where
        .where({ risk_mode: 'always' })
        .orWhereRaw("rules::jsonb = '{}'")
        .orWhere((wider) => {
          for (const [rule, list] of Object.entries(rules))
            wider.whereRaw(`rules::jsonb -> ?::text ${isAllowlist(rule) ? '<@' : '@>'} ?::jsonb`, [rule, JSON.stringify(list)]);
        }),
    )
    .orderBy('id')
    .limit(limit);
  return after === undefined ? query : query.andWhere('id', '>', after);
}

/** The enabled policies that apply in a workspace, ordered by ID, after the ID `after`. */
export async function listEnabledPolicies(
  db: Db,
  filter: { orgId: string; workspaceId: string; after?: string | undefined; limit?: number },
): Promise<Policy[]> {
  const { orgId, workspaceId, after, limit } = filter;
  const query = db('approval_policies')
    .select(COLUMNS)
    .where({ org_id: orgId, enabled: true })
    .andWhere((where) => where.whereNull('workspace_id').orWhere({ workspace_id: workspaceId }))
    .orderBy('id');
  if (after !== undefined) query.andWhere('id', '>', after);
  return limit === undefined ? query : query.limit(limit);
}

/**
 * Changes a policy and raises its version. Undefined if the policy is gone or was moved to another
 * workspace.
 */
export async function updateApprovalPolicy(
  db: Db,
  { orgId, id, workspaceId }: PolicyPlace,
  changes: Partial<PolicyFields>,
): Promise<Policy | undefined> {
  const [row] = await db('approval_policies')
    .where({ org_id: orgId, id, workspace_id: workspaceId })
    .update({ ...toRow(changes, JSON_FIELDS), version: db.raw('version + 1'), updated_at: db.fn.now() })
    .returning(COLUMNS);
  return row;
}

/** Deletes a policy and returns it. Undefined if it is gone or was moved to another workspace. */
export async function deleteApprovalPolicy(db: Db, { orgId, id, workspaceId }: PolicyPlace): Promise<Policy | undefined> {
  const [row] = await db('approval_policies').where({ org_id: orgId, id, workspace_id: workspaceId }).delete().returning(COLUMNS);
  return row;
}

/** A policy, and the workspace for which the permission of the caller was checked. */
export type PolicyPlace = Pick<Policy, 'orgId' | 'id' | 'workspaceId'>;

/** Whether a workspace has policies or pending approvals. */
export async function hasGates(db: Db, orgId: string, workspaceId: string): Promise<boolean> {
  const place = { org_id: orgId, workspace_id: workspaceId };
  const isOfIt = (table: string, more: object = {}) =>
    db(table)
      .select(db.raw('1'))
      .where({ ...place, ...more });
  const { found } = await db.first(
    db.raw('exists (?) or exists (?) as found', [isOfIt('approval_policies'), isOfIt('approvals', { status: 'pending' })]),
  );
  return found;
}

/** Deletes the policies of a workspace and returns them for the record. */
export async function deletePoliciesOfWorkspace(db: Db, orgId: string, workspaceId: string): Promise<Policy[]> {
  return db('approval_policies').where({ org_id: orgId, workspace_id: workspaceId }).delete().returning(COLUMNS);
}

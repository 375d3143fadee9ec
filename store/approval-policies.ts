import type { Policy, PolicyFields } from '../domain/policy.ts';
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

export async function findApprovalPolicy(db: Db, orgId: string, id: string): Promise<Policy | undefined> {
  return db('approval_policies').select(COLUMNS).where({ org_id: orgId, id }).first();
}

/** Policies of an organization, oldest first; with `workspaceIds`, those that decide calls in these workspaces, their own and the organization-wide ones; no workspace has none. */
export async function listApprovalPolicies(db: Db, filter: { orgId: string; workspaceIds?: readonly string[] }): Promise<Policy[]> {
  const { workspaceIds } = filter;
  if (workspaceIds?.length === 0) return [];
  const query = db('approval_policies')
    .select(COLUMNS)
    .where({ org_id: filter.orgId })
    .orderBy([{ column: 'created_at' }, { column: 'id' }]);
  return workspaceIds ? query.andWhere((where) => where.whereNull('workspace_id').orWhereIn('workspace_id', [...workspaceIds])) : query;
}

/** The policies that may decide calls of a workspace. */
export async function listEnabledPolicies(db: Db, orgId: string, workspaceId: string): Promise<Policy[]> {
  return listApprovalPolicies(db, { orgId, workspaceIds: [workspaceId] }).then((policies) => policies.filter((policy) => policy.enabled));
}

/** Changes a policy and raises its version: approvals stay bound to the one they were made under. */
export async function updateApprovalPolicy(db: Db, orgId: string, id: string, changes: Partial<PolicyFields>): Promise<Policy | undefined> {
  const [row] = await db('approval_policies')
    .where({ org_id: orgId, id })
    .update({ ...toRow(changes, JSON_FIELDS), version: db.raw('version + 1'), updated_at: db.fn.now() })
    .returning(COLUMNS);
  return row;
}

/** Answers what was deleted; undefined when there was nothing. */
export async function deleteApprovalPolicy(db: Db, orgId: string, id: string): Promise<Policy | undefined> {
  const [row] = await db('approval_policies').where({ org_id: orgId, id }).delete().returning(COLUMNS);
  return row;
}

/** Deletes the policies of a workspace and answers them; that of the workspace itself would take them unseen. */
export async function deletePoliciesOfWorkspace(db: Db, orgId: string, workspaceId: string): Promise<Policy[]> {
  return db('approval_policies').where({ org_id: orgId, workspace_id: workspaceId }).delete().returning(COLUMNS);
}

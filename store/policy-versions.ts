import type { Actor } from '../domain/approval.ts';
import type { Policy, PolicyFields } from '../domain/policies/policy.ts';
import type { Db } from '../infra/database.ts';
import { columns } from './columns.ts';
import type { Page, PageRequest } from './page.ts';

/** One version of a policy. */
export interface PolicyVersion {
  orgId: string;
  policyId: string;
  version: number;
  fields: PolicyFields;
  /** The earlier version that was restored as this version. */
  restoredVersion: number | null;
  changedByType: Actor['type'];
  changedById: string | null;
  createdAt: Date;
}

const COLUMNS = columns<PolicyVersion>(
  'orgId',
  'policyId',
  'version',
  'fields',
  'restoredVersion',
  'changedByType',
  'changedById',
  'createdAt',
);

/**
 * Stores the present state of a policy. `policiesVersion` is the version of the organization's
 * policies after the change.
 */
export async function insertPolicyVersion(
  db: Db,
  { id, orgId, version, createdAt: _, updatedAt: __, ...fields }: Policy,
  change: { actor: Actor; policiesVersion: number; restoredVersion?: number | undefined },
): Promise<void> {
  await endPolicyVersions(db, orgId, [id], change.policiesVersion);
  await db('approval_policy_versions').insert({
    policy_id: id,
    version,
    org_id: orgId,
    fields: JSON.stringify(fields),
    from_policies_version: change.policiesVersion,
    restored_version: change.restoredVersion ?? null,
    changed_by_type: change.actor.type,
    changed_by_id: change.actor.id,
  });
}

/** Ends the versions of deleted policies, and keeps them for replays of earlier calls. */
export async function keepDeletedPolicies(db: Db, orgId: string, policyIds: readonly string[], policiesVersion: number): Promise<void> {
  await endPolicyVersions(db, orgId, policyIds, policiesVersion);
  await db('approval_policy_versions')
    .where({ org_id: orgId })
    .whereIn('policy_id', [...policyIds])
    .update({ deleted_at: db.fn.now() });
}

async function endPolicyVersions(db: Db, orgId: string, policyIds: readonly string[], policiesVersion: number): Promise<void> {
  await db('approval_policy_versions')
    .where({ org_id: orgId })
    .whereIn('policy_id', [...policyIds])
    .whereNull('until_policies_version')
    .update({ until_policies_version: policiesVersion });
}

/** Returns a page of a policy's versions, newest first, with the exact total. */
export async function listPolicyVersions(db: Db, orgId: string, policyId: string, page: PageRequest): Promise<Page<PolicyVersion>> {
  const matching = db('approval_policy_versions').where({ org_id: orgId, policy_id: policyId });
  const [items, counted] = await Promise.all([
    matching.clone().select(COLUMNS).orderBy('version', 'desc').limit(page.limit).offset(page.offset),
    matching.clone().count({ total: '*' }).first(),
  ]);
  return { items, total: Number(counted?.total ?? 0) };
}

export async function findPolicyVersion(db: Db, orgId: string, policyId: string, version: number): Promise<PolicyVersion | undefined> {
  return db('approval_policy_versions').select(COLUMNS).where({ org_id: orgId, policy_id: policyId, version }).first();
}

/**
 * A version of a policy. `from` and `until` (exclusive; null: still applies) are versions of the
 * organization's policies.
 */
export interface HeldPolicy {
  policyId: string;
  version: number;
  fields: PolicyFields;
  createdAt: Date;
  from: number;
  until: number | null;
  bytes: number;
}

/**
 * Returns the enabled, enforcing versions that could decide calls since version `since` of the
 * organization's policies. Versions that still apply come first, then the others, newest end first.
 */
export async function listHeldPolicies(
  db: Db,
  orgId: string,
  { since, limit, offset }: { since: number; limit: number; offset: number },
): Promise<HeldPolicy[]> {
  return db('approval_policy_versions')
    .select(columns<HeldPolicy>('policyId', 'version', 'fields', 'createdAt'))
    .select('from_policies_version as from', 'until_policies_version as until')
    .select(db.raw('octet_length(fields::text) as bytes'))
    .where({ org_id: orgId })
    .andWhere((where) => where.whereNull('until_policies_version').orWhere('until_policies_version', '>', since))
    .andWhereRaw("(fields ->> 'enabled')::boolean and fields ->> 'mode' = 'enforce'")
    .orderByRaw('until_policies_version desc nulls first, policy_id, version')
    .limit(limit)
    .offset(offset);
}

/**
 * Returns the version of the organization's policies one hour before `time`, not counting
 * deletions. The hour is needed because a call is recorded some time after it is judged.
 */
export async function findPoliciesVersionAt(db: Db, orgId: string, time: Date): Promise<number> {
  const row = await db('approval_policy_versions')
    .where({ org_id: orgId })
    .andWhereRaw("created_at < ?::timestamptz - interval '1 hour'", [time])
    .max({ version: 'from_policies_version' })
    .first();
  return row?.version ?? 0;
}

/** Deletes the versions of policies that were deleted more than `keptDays` ago. */
export async function deleteOldVersions(db: Db, keptDays: number): Promise<number> {
  return db('approval_policy_versions').whereRaw("deleted_at < now() - ? * interval '1 day'", [keptDays]).delete();
}

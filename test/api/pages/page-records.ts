import { personalLink } from '../../../commands/approvals/approval-links.ts';
import { decideApproval } from '../../../commands/approvals/decide-approval.ts';
import { hashCode } from '../../../commands/code-runs/plan/plan-code-run.ts';
import type { Approval } from '../../../domain/approval.ts';
import type { CodeRunStatus } from '../../../domain/code-run.ts';
import type { Person, UserPerson } from '../../../domain/person.ts';
import type { PolicyFields } from '../../../domain/policies/policy.ts';
import { randomId } from '../../../infra/tokens.ts';
import { insertApprovalPolicy } from '../../../store/approval-policies.ts';
import { insertCodeRun } from '../../../store/code-run-starts.ts';
import { thePolicy } from '../../support/the-policy.ts';
import type { PageBed } from './page-bed.ts';

export async function aRun(bed: PageBed, code: string, status: CodeRunStatus = 'waiting'): Promise<{ id: string; codeHash: string }> {
  const run = { id: randomId('crun_'), codeHash: hashCode(code) };
  const { orgId, workspaceId } = bed.org;
  const asked = { mcpServerId: workspaceId, endUserId: null, requestedByType: 'mcp_token', requestedById: null } as const;
  await insertCodeRun(bed.gateway.db, { ...run, orgId, workspaceId, ...asked, code });
  await bed.gateway.db('code_runs').where({ id: run.id }).update({ status });
  return run;
}

export async function anAccount(bed: PageBed, given: Record<string, unknown> = {}): Promise<string> {
  const account = {
    ...placeOf(bed),
    external_id: randomId('con_'),
    display_name: 'Acme team bot',
    integration_name: 'slack',
    auth_method_key: 'bot-token',
    type: 'SECRET_TEXT',
    scope: 'WORKSPACE',
    sealed_credentials: Buffer.from('sealed'),
    ...given,
  };
  const [{ id }] = await bed.gateway.db('connections').insert(account).returning('id');
  return id;
}

/** Inserts a policy of the bed's organization. */
export async function aPolicy(bed: PageBed, given: Partial<PolicyFields>): Promise<string> {
  const { id: _, version: __, createdAt: ___, updatedAt: ____, ...fields } = thePolicy(given);
  return (await insertApprovalPolicy(bed.gateway.db, { ...fields, orgId: bed.org.orgId })).id;
}

export async function aMember(bed: PageBed, role: UserPerson['role'], displayName: string | null = 'Grace Hopper'): Promise<UserPerson> {
  const email = `${randomId('grace_')}@example.com`;
  const [{ id }] = await bed.gateway.db('users').insert({ email, display_name: displayName }).returning('id');
  await bed.gateway.db('memberships').insert({ org_id: bed.org.orgId, user_id: id, role });
  return { type: 'user', id, orgId: bed.org.orgId, role, email, displayName };
}

/** Returns this person's own link to an approval's page. */
export function asPerson(bed: PageBed, approval: Pick<Approval, 'id'>, person: Person): string {
  const { pathname, search } = new URL(personalLink(bed.gateway, approval, person));
  return `${bed.origin}${pathname}${search}`;
}

export async function approve(bed: PageBed, approval: Approval): Promise<void> {
  const by = { type: 'hosted_link', id: null } as const;
  await decideApproval(bed.gateway, { approvalId: approval.id, decision: 'approve', by, reason: 'Checked with Ada.' });
}

/** Records a call with this status that was made under the approval. */
export async function recordCall(bed: PageBed, approval: Approval, status: string, callNumber = 1): Promise<void> {
  const { id, integrationName, actionName, inputHash, codeRunId } = approval;
  await bed.gateway.db('calls').insert({
    ...placeOf(bed),
    source: approval.source,
    integration_name: integrationName,
    action_name: actionName,
    requested_by_type: 'system',
    input_hash: inputHash,
    approval_id: id,
    status,
    ...(codeRunId === null ? {} : { code_run_id: codeRunId, call_number: callNumber }),
  });
}

export function placeOf({ org }: PageBed) {
  return { org_id: org.orgId, workspace_id: org.workspaceId };
}

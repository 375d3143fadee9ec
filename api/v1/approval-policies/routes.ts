import { z } from 'zod';
import { createApprovalPolicy } from '../../../commands/policies/create-policy.ts';
import { deleteApprovalPolicy } from '../../../commands/policies/delete-policy.ts';
import { findPolicyWarnings } from '../../../commands/policies/find-policy-warnings.ts';
import { getApprovalPolicy } from '../../../commands/policies/get-policy.ts';
import { testPolicy } from '../../../commands/policies/test-policy.ts';
import { updateApprovalPolicy } from '../../../commands/policies/update-policy.ts';
import { getWorkspace } from '../../../commands/workspaces/get-workspace.ts';
import type { Policy } from '../../../domain/policies/policy.ts';
import { readAhead } from '../../../domain/policies/policy-overlap.ts';
import { warnAboutPolicy } from '../../../domain/policies/policy-warnings.ts';
import { breathe } from '../../../infra/event-loop/breathe.ts';
import { listApprovalPolicies } from '../../../store/approval-policies.ts';
import { Answer, type Route, route } from '../../route.ts';
import { deleted, idParams, uuid } from '../../schemas.ts';
import { presentPolicy } from './present.ts';
import { newPolicy, policy, policyChanges, policyTest, policyTestAnswer, WRITERS } from './schema.ts';

const all = { tag: 'Approval policies', path: '/api/v1/approval-policies' } as const;
const one = {
  tag: 'Approval policies',
  path: '/api/v1/approval-policies/{id}',
  params: idParams,
  notFound: 'APPROVAL_POLICY_NOT_FOUND',
} as const;

/** Approval policies (specification 4.4). */
export const approvalPolicyRoutes: Route[] = [
  route({
    ...all,
    method: 'post',
    summary: 'Create an approval policy; a signing secret of a webhook is shown only in the answer that creates it',
    description: WRITERS,
    body: newPolicy,
    example: {
      name: 'Large refunds',
      actionNames: ['create_refund'],
      rules: { amountThresholds: [{ path: 'amount', gte: 500 }] },
      approvers: [{ type: 'webhook', webhookUrl: 'https://hooks.example.com/approvals' }],
    },
    answers: { 200: z.object({ policy }) },
    errors: ['NOT_FOUND', 'SCOPE_DENIED', 'APPROVAL_DECISION_SCOPE_REQUIRED', 'QUOTA_EXCEEDED'],
    handle: async ({ gateway, principal, body }) => {
      const { policy, secrets } = await createApprovalPolicy(gateway, principal, body);
      return { policy: presentPolicy(policy, await findPolicyWarnings(gateway, policy), secrets) };
    },
  }),
  route({
    ...all,
    method: 'get',
    summary: 'List approval policies; with workspaceId, only policies that apply to the workspace',
    query: z.strictObject({ workspaceId: uuid.optional() }),
    answers: { 200: z.object({ policies: z.array(policy), total: z.int() }) },
    errors: ['NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, query: { workspaceId } }) => {
      const workspaceIds = workspaceId === undefined ? principal.workspaceIds : [(await getWorkspace(gateway, principal, workspaceId)).id];
      const policies = await listApprovalPolicies(gateway.db, { orgId: principal.orgId, ...(workspaceIds !== 'all' && { workspaceIds }) });
      return new Answer(200, await listJson(policies));
    },
  }),
  route({
    ...all,
    path: '/api/v1/approval-policies/test',
    method: 'post',
    summary: 'Test what a policy would decide about a call, without creating the policy or making the call',
    body: policyTest,
    answers: { 200: policyTestAnswer },
    errors: ['NOT_FOUND', 'SCOPE_DENIED'],
    handle: ({ gateway, principal, body: { policy, context } }) => testPolicy(gateway, principal, policy, context),
  }),
  route({
    ...one,
    method: 'get',
    summary: 'Get an approval policy',
    answers: { 200: z.object({ policy }) },
    errors: ['APPROVAL_POLICY_NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, params }) => {
      const policy = await getApprovalPolicy(gateway, principal, params.id);
      return { policy: presentPolicy(policy, await findPolicyWarnings(gateway, policy)) };
    },
  }),
  route({
    ...one,
    method: 'patch',
    summary: 'Change an approval policy; pending approvals keep the version of their request',
    description: WRITERS,
    body: policyChanges,
    answers: { 200: z.object({ policy }) },
    errors: ['APPROVAL_POLICY_NOT_FOUND', 'NOT_FOUND', 'SCOPE_DENIED', 'APPROVAL_DECISION_SCOPE_REQUIRED'],
    handle: async ({ gateway, principal, params, body }) => {
      const current = await getApprovalPolicy(gateway, principal, params.id);
      const { policy, secrets } = await updateApprovalPolicy(gateway, principal, current, body);
      return { policy: presentPolicy(policy, await findPolicyWarnings(gateway, policy), secrets) };
    },
  }),
  route({
    ...one,
    method: 'delete',
    summary: 'Delete an approval policy; its approvals stay in the history',
    description: WRITERS,
    answers: { 200: deleted },
    errors: ['APPROVAL_POLICY_NOT_FOUND', 'SCOPE_DENIED', 'APPROVAL_DECISION_SCOPE_REQUIRED'],
    handle: async ({ gateway, principal, params }) => {
      const policy = await getApprovalPolicy(gateway, principal, params.id);
      await deleteApprovalPolicy(gateway, principal, policy);
      return { deleted: true, id: policy.id };
    },
  }),
];

/** Serializes policies one by one, so that a long list does not block the event loop. */
async function listJson(policies: readonly Policy[]): Promise<string> {
  for (const policy of policies) {
    readAhead(policy);
    await breathe();
  }
  const items: string[] = [];
  for (const policy of policies) {
    items.push(JSON.stringify(presentPolicy(policy, warnAboutPolicy(policy, policies))));
    await breathe();
  }
  return `{"policies":[${items.join()}],"total":${policies.length}}`;
}

import { z } from 'zod';
import { createApprovalPolicy } from '../../../commands/create-approval-policy.ts';
import { deleteApprovalPolicy } from '../../../commands/delete-approval-policy.ts';
import { getApprovalPolicy } from '../../../commands/get-approval-policy.ts';
import { getWorkspace } from '../../../commands/get-workspace.ts';
import { testPolicy } from '../../../commands/test-policy.ts';
import { updateApprovalPolicy } from '../../../commands/update-approval-policy.ts';
import { listApprovalPolicies } from '../../../store/approval-policies.ts';
import { type Route, route } from '../../route.ts';
import { deleted, idParams, uuid } from '../../schemas.ts';
import { presentPolicy } from './present.ts';
import { newPolicy, policy, policyChanges, policyTest, policyTestAnswer } from './schema.ts';

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
    summary: 'Create an approval policy; signing secrets of its webhooks are in this answer only',
    body: newPolicy,
    example: {
      name: 'Large refunds',
      actionNames: ['create_refund'],
      rules: { amountThresholds: [{ path: 'amount', gte: 500 }] },
      approvers: [{ type: 'webhook', webhookUrl: 'https://hooks.example.com/approvals' }],
    },
    answers: { 200: z.object({ policy }) },
    errors: ['NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, body }) => {
      const { policy, secrets } = await createApprovalPolicy(gateway, principal, body);
      return { policy: presentPolicy(policy, secrets) };
    },
  }),
  route({
    ...all,
    method: 'get',
    summary: 'List approval policies; with workspaceId, those that apply to this workspace',
    query: z.object({ workspaceId: uuid.optional() }),
    answers: { 200: z.object({ policies: z.array(policy), total: z.int() }) },
    errors: ['NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, query: { workspaceId } }) => {
      const workspaceIds = workspaceId === undefined ? principal.workspaceIds : [(await getWorkspace(gateway, principal, workspaceId)).id];
      const policies = await listApprovalPolicies(gateway.db, { orgId: principal.orgId, ...(workspaceIds !== 'all' && { workspaceIds }) });
      return { policies: policies.map((policy) => presentPolicy(policy)), total: policies.length };
    },
  }),
  route({
    ...all,
    path: '/api/v1/approval-policies/test',
    method: 'post',
    summary: 'Say what a policy would decide of a call, without making either',
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
    handle: async ({ gateway, principal, params }) => ({ policy: presentPolicy(await getApprovalPolicy(gateway, principal, params.id)) }),
  }),
  route({
    ...one,
    method: 'patch',
    summary: 'Change an approval policy; pending approvals stay bound to the version they were made under',
    body: policyChanges,
    answers: { 200: z.object({ policy }) },
    errors: ['APPROVAL_POLICY_NOT_FOUND', 'NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, params, body }) => {
      const current = await getApprovalPolicy(gateway, principal, params.id);
      const { policy, secrets } = await updateApprovalPolicy(gateway, principal, current, body);
      return { policy: presentPolicy(policy, secrets) };
    },
  }),
  route({
    ...one,
    method: 'delete',
    summary: 'Delete an approval policy; the history of its approvals stays',
    answers: { 200: deleted },
    errors: ['APPROVAL_POLICY_NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, params }) => {
      const policy = await getApprovalPolicy(gateway, principal, params.id);
      await deleteApprovalPolicy(gateway, principal, policy);
      return { deleted: true, id: policy.id };
    },
  }),
];

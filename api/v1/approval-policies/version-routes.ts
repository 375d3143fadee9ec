import { z } from 'zod';
import { findPolicyWarnings } from '../../../commands/policies/find-policy-warnings.ts';
import { getApprovalPolicy } from '../../../commands/policies/get-policy.ts';
import { getPolicyVersion, restorePolicyVersion } from '../../../commands/policies/restore-policy-version.ts';
import { breathe } from '../../../infra/event-loop/breathe.ts';
import { listPolicyVersions } from '../../../store/policy-versions.ts';
import { Answer, type Route, route } from '../../route.ts';
import { emptyBody, idParams, page, versionNumber } from '../../schemas.ts';
import { presentChanges, presentPolicy, presentVersion } from './present.ts';
import { policy, policyDifferences, policyVersion, WRITERS } from './schema.ts';

const all = { tag: 'Approval policies', params: idParams, notFound: 'APPROVAL_POLICY_NOT_FOUND' } as const;
const one = { ...all, params: idParams.extend({ version: versionNumber }) } as const;

/** The versions of a policy (contract decisions 7, Backtest). */
export const policyVersionRoutes: Route[] = [
  route({
    ...all,
    path: '/api/v1/approval-policies/{id}/versions',
    method: 'get',
    summary: 'List the versions of a policy, newest first, with the changes of each version and their author',
    query: page,
    answers: { 200: z.object({ versions: z.array(policyVersion), total: z.int() }) },
    errors: ['APPROVAL_POLICY_NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, params, query: { limit, offset } }) => {
      const { orgId, id } = await getApprovalPolicy(gateway, principal, params.id);
      // One more: the last listed version is compared with its predecessor.
      const { items, total } = await listPolicyVersions(gateway.db, orgId, id, { limit: limit + 1, offset });
      const versions: string[] = [];
      for (const [index, version] of items.slice(0, limit).entries()) {
        versions.push(JSON.stringify(presentVersion(version, items[index + 1])));
        await breathe();
      }
      return new Answer(200, `{"versions":[${versions.join()}],"total":${total}}`);
    },
  }),
  route({
    ...one,
    path: '/api/v1/approval-policies/{id}/versions/{version}/diff',
    method: 'get',
    summary: 'Compare two versions of a policy',
    query: z.strictObject({ from: versionNumber.optional().describe('default: the previous version') }),
    answers: { 200: z.object({ from: z.int(), to: z.int(), changes: policyDifferences }) },
    errors: ['APPROVAL_POLICY_NOT_FOUND', 'NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, params, query }) => {
      const policy = await getApprovalPolicy(gateway, principal, params.id);
      const { version: to } = params;
      const from = query.from ?? Math.max(1, to - 1);
      const [before, after] = await Promise.all([from, to].map((version) => getPolicyVersion(gateway, policy, version)));
      return { from, to, changes: presentChanges(before!, after!) };
    },
  }),
  route({
    ...one,
    path: '/api/v1/approval-policies/{id}/versions/{version}/restore',
    method: 'post',
    summary: 'Restore an earlier version of a policy, as a new version',
    description: `All records that the version refers to must still exist. ${WRITERS}`,
    body: emptyBody,
    answers: { 200: z.object({ policy }) },
    errors: ['APPROVAL_POLICY_NOT_FOUND', 'NOT_FOUND', 'SCOPE_DENIED', 'APPROVAL_DECISION_SCOPE_REQUIRED'],
    handle: async ({ gateway, principal, params }) => {
      const current = await getApprovalPolicy(gateway, principal, params.id);
      const { policy, secrets } = await restorePolicyVersion(gateway, principal, current, params.version);
      return { policy: presentPolicy(policy, await findPolicyWarnings(gateway, policy), secrets) };
    },
  }),
];

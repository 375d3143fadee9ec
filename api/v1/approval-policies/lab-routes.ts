import { backtestPolicy, type Decided } from '../../../commands/policies/backtest-policy.ts';
import { getApprovalPolicy } from '../../../commands/policies/get-policy.ts';
import { getShadowRecord } from '../../../commands/policies/get-shadow-record.ts';
import { POLICY_DECISIONS } from '../../../domain/policies/policy.ts';
import type { StoredCall } from '../../../store/call-facts.ts';
import { type Route, route } from '../../route.ts';
import { idParams } from '../../schemas.ts';
import { backtest, backtestAnswer, shadowAnswer, shadowDays } from './lab-schema.ts';

/** Backtests and shadow policies (contract decisions 7, Backtest). */
export const policyLabRoutes: Route[] = [
  route({
    tag: 'Approval policies',
    path: '/api/v1/approval-policies/backtest',
    method: 'post',
    summary: 'Test what a new or changed policy would have decided about the calls of the last days',
    description:
      'Judges each call again, by its recorded facts and the policies of its time. The given policy is added to these policies, or replaces `policyId`. Changes nothing, and asks no risk model. Facts are kept for 30 days and contain no secrets. A call whose facts do not suffice is counted as unjudged.',
    body: backtest,
    example: { policy: { actionNames: ['create_refund'], rules: { amountThresholds: [{ path: 'amount', gte: 500 }] } }, days: 7 },
    answers: { 200: backtestAnswer },
    errors: ['APPROVAL_POLICY_NOT_FOUND', 'NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, body: { policy, policyId, changes, ...rest }, gone }) => {
      const replaces = policyId === undefined ? undefined : await getApprovalPolicy(gateway, principal, policyId);
      const unchanged = { workspaceId: null, mcpServerIds: [], workspaceIntegrationIds: [], approvers: [] };
      const fields = policy ?? { ...replaces!, ...changes };
      const references = policy ?? { ...unchanged, ...changes };
      const tried = await backtestPolicy(gateway, principal, { ...rest, fields, references, replaces }, gone());
      const { from, to, isCut, total, matched, decisions } = tried;
      const unjudgedReasons = [...tried.unjudged].map(([reason, calls]) => ({ reason, calls }));
      const would = (one: Decided) => sum(decisions.filter((pair) => pair.would === one));
      return {
        ...{ from: from.toISOString(), to: to.toISOString(), isCut, total, matched },
        unjudged: sum(unjudgedReasons),
        unjudgedReasons,
        byDecision: Object.fromEntries(([...POLICY_DECISIONS, 'allow'] as const).map((decision) => [decision, would(decision)])),
        decisions,
        examples: tried.examples.map(({ call, was, would }) => ({ ...presentCall(call), was, would })),
      };
    },
  }),
  route({
    tag: 'Approval policies',
    path: '/api/v1/approval-policies/{id}/shadow',
    method: 'get',
    params: idParams,
    notFound: 'APPROVAL_POLICY_NOT_FOUND',
    summary: 'Get what a policy in shadow mode would have done with the calls of the last days',
    query: shadowDays,
    answers: { 200: shadowAnswer },
    errors: ['APPROVAL_POLICY_NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, params, query }) => {
      const policy = await getApprovalPolicy(gateway, principal, params.id);
      const { counts, examples } = await getShadowRecord(gateway, principal, policy, query.days);
      const was = ({ facts }: Pick<StoredCall, 'facts'>) => facts?.decidedBy?.decision ?? ('allow' as const);
      return {
        matched: sum(counts),
        byDecision: counts,
        examples: examples.map((call) => ({ ...presentCall(call), was: was(call), would: call.would })),
      };
    },
  }),
];

function presentCall({
  callId,
  approvalId,
  at,
  integrationName,
  actionName,
}: Pick<StoredCall, 'callId' | 'approvalId' | 'at' | 'integrationName' | 'actionName'>) {
  return { callId, approvalId, at: at.toISOString(), integrationName, actionName };
}

function sum(counted: readonly { calls: number }[]): number {
  return counted.reduce((all, { calls }) => all + calls, 0);
}

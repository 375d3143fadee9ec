import { callerLinks } from '../../../commands/approvals/approval-links.ts';
import { executeAction } from '../../../commands/calls/execute-action.ts';
import type { CallError } from '../../../domain/call.ts';
import { GatewayError, isErrorCode } from '../../../domain/errors.ts';
import { Answer, type Route, route } from '../../route.ts';
import { presentGatedAction } from './present.ts';
import { actionDone, actionGated, actionHeaders, actionRequest } from './schema.ts';

/** Actions (contract decisions 2). */
export const actionRoutes: Route[] = [
  route({
    tag: 'Actions',
    method: 'post',
    path: '/api/v1/actions/execute',
    summary: 'Run one action; 202 if it needs an approval first',
    body: actionRequest,
    headers: actionHeaders,
    answers: { 200: actionDone, 202: actionGated },
    errors: [
      'NOT_FOUND',
      'SCOPE_DENIED',
      'INTEGRATION_NOT_FOUND',
      'ACTION_NOT_FOUND',
      'CONNECTION_NOT_FOUND',
      'CONNECTION_REQUIRED',
      'PARTIAL_NOT_FOUND',
      'PARTIAL_MISMATCH',
      'AMBIGUOUS_INTEGRATION',
      'ACTION_NOT_ALLOWED',
      'ACTION_CHANGED',
      'APPROVAL_POLICY_BLOCKED',
      'END_USER_REQUIRED',
      'QUOTA_EXCEEDED',
      'ACTION_FAILED',
      'IDEMPOTENCY_CONFLICT',
      'EXECUTION_OUTCOME_UNKNOWN',
    ],
    handle: async ({ gateway, principal, body, headers }) => {
      const answer = await executeAction(gateway, principal, { ...body, source: headers['X-Svc-Source'] });
      if (answer.kind === 'approval_required')
        return new Answer(202, presentGatedAction(answer.approval, callerLinks(gateway, answer.approval)));
      if (!answer.outcome.ok) throw toGatewayError(answer.outcome.error);
      return { success: true, output: answer.outcome.output, duration: answer.outcome.durationMs ?? 0 };
    },
  }),
];

function toGatewayError({ code, message, details }: CallError): GatewayError {
  return new GatewayError(isErrorCode(code) ? code : 'ACTION_FAILED', message, details);
}

import { type Action, ActionError, type AuthValue } from '../definition.ts';
import { callUpstream, type Upstream } from '../provider-call.ts';
import type { OperationCall } from './operation.ts';
import { operationShape } from './operation-request.ts';

/**
 * Returns a function that makes the request of an operation. The answer is not checked, because
 * third parties' documents are often wrong about answers.
 */
export function operationRunner(upstream: Upstream, operation: OperationCall, baseUrl: string | undefined): Action['run'] {
  const own = withAuth(upstream, operation);
  const request = operationShape(operation);
  return async (context) => {
    assertAccepted(own, operation, context.auth);
    return (await callUpstream(own, { request, baseUrl, format: 'auto' }, context.input, context)).body;
  };
}

/** Whether a call of an operation needs an account, as a property of its action. */
export function accountNeeded({ auth, authOptional }: OperationCall): Pick<Action, 'account'> {
  if (auth?.length === 0) return { account: 'none' };
  return authOptional ? { account: 'optional' } : {};
}

function withAuth(upstream: Upstream, { auth: keys, authOptional }: OperationCall): Upstream {
  if (keys?.length === 0) return { ...upstream, auth: [], authenticate: (request) => request };
  const auth = keys ? upstream.auth.filter(({ key }) => keys.includes(key)) : upstream.auth;
  return { ...upstream, auth, ...(authOptional && { authOptional }) };
}

function assertAccepted({ displayName, auth }: Upstream, { auth: keys = [] }: OperationCall, account: AuthValue | null): void {
  if (keys.length === 0 || account?.methodKey === undefined || keys.includes(account.methodKey)) return;
  const names = auth.map((method) => method.displayName).join(', ');
  throw new ActionError(`This action of ${displayName} needs an account that is connected with: ${names}.`, { reason: 'unauthorized' });
}

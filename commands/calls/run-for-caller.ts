import type { RecordedCall } from '../../domain/call.ts';
import { addConnectUrl, withConnectUrl } from '../connect/with-connect-url.ts';
import type { Gateway } from '../gateway.ts';
import { type CallRequest, prepareCall } from './prepare-call.ts';
import { type CallAnswer, runCall } from './run-call.ts';

/**
 * Runs a call for a caller that can pass a link on to its end user. The connect link in a
 * CONNECTION_REQUIRED error is a secret: records and sandboxed code do not get it.
 */
export async function runForCaller(gateway: Gateway, request: CallRequest, made?: RecordedCall): Promise<CallAnswer> {
  const missing = { ...request, integrationName: request.action.integrationName };
  try {
    const answer = await runCall(gateway, await prepareCall(gateway, request), made);
    if (answer.kind !== 'done' || answer.outcome.ok) return answer;
    return { ...answer, outcome: { ...answer.outcome, error: await addConnectUrl(gateway, missing, answer.outcome.error) } };
  } catch (error) {
    throw await withConnectUrl(gateway, missing, error);
  }
}

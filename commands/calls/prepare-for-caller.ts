import { withConnectUrl } from '../connect/with-connect-url.ts';
import type { Gateway } from '../gateway.ts';
import { type CallRequest, type PreparedCall, prepareCall } from './prepare-call.ts';

/**
 * Prepares a call for a caller that can pass a link on to its end user. A CONNECTION_REQUIRED error
 * carries, in `details.connectUrl`, the link where that end user connects the account, or says why
 * there is none. Throws the errors of prepareCall. Code in a sandbox gets no link, because the link
 * is a secret.
 */
export async function prepareForCaller(gateway: Gateway, request: CallRequest): Promise<PreparedCall> {
  try {
    return await prepareCall(gateway, request);
  } catch (error) {
    throw await withConnectUrl(gateway, { ...request, integrationName: request.action.integrationName }, error);
  }
}

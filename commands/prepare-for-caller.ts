import { GatewayError } from '../domain/errors.ts';
import { CONNECT_TOKEN_SECONDS } from '../domain/limits.ts';
import { findEndUserByExternalId } from '../store/end-users.ts';
import type { Gateway } from './gateway.ts';
import { issueConnectToken } from './issue-connect-token.ts';
import { type CallRequest, type PreparedCall, prepareCall } from './prepare-call.ts';

/**
 * Prepares a call for a caller that can pass a link on to its end user: a CONNECTION_REQUIRED then says, in `details.connectUrl`, where
 * that end user can connect the account, or why there is no link. Throws what prepareCall throws. Code in a sandbox gets no such link: it
 * would be a secret there.
 */
export async function prepareForCaller(gateway: Gateway, request: CallRequest): Promise<PreparedCall> {
  try {
    return await prepareCall(gateway, request);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'CONNECTION_REQUIRED') throw error;
    throw await withConnectUrl(gateway, request, error);
  }
}

/** Only an end user that exists may have a link, and only where an account of their own would help. */
async function withConnectUrl(gateway: Gateway, request: CallRequest, error: GatewayError): Promise<GatewayError> {
  const { code, message, details } = error;
  const { orgId, workspaceId, endUserId, instance, action } = request;
  if (endUserId === null || instance?.connectionStrategy === 'fixed') return error;
  const endUser = await findEndUserByExternalId(gateway.db, orgId, workspaceId, endUserId);
  if (!endUser) {
    const unknown = 'There is no end user of that endUserId in this workspace yet, so there is no link for one: create the end user first.';
    return new GatewayError(code, `${message} ${unknown}`, details);
  }
  const restriction = instance ? { workspaceIntegrationId: instance.id } : { integrationName: action.integrationName };
  const { connectUrl } = await issueConnectToken(gateway, {
    orgId,
    workspaceId,
    endUser,
    ...restriction,
    expiresIn: CONNECT_TOKEN_SECONDS.min,
  });
  return new GatewayError(code, message, { ...details, connectUrl });
}

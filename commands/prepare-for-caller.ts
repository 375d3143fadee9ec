import { GatewayError } from '../domain/errors.ts';
import { CONNECT_TOKEN_SECONDS } from '../domain/limits.ts';
import { findEndUserByExternalId } from '../store/end-users.ts';
import type { Gateway } from './gateway.ts';
import { issueConnectToken } from './issue-connect-token.ts';
import { type CallRequest, type PreparedCall, prepareCall } from './prepare-call.ts';

/**
 * Prepares a call for a caller that can pass a link on to its end user: a CONNECTION_REQUIRED then says, in `details.connectUrl`, where
 * that end user can connect the account. Throws what prepareCall throws. Code in a sandbox gets no such link: it would be a secret there.
 */
export async function prepareForCaller(gateway: Gateway, request: CallRequest): Promise<PreparedCall> {
  try {
    return await prepareCall(gateway, request);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'CONNECTION_REQUIRED') throw error;
    const connectUrl = await connectUrlFor(gateway, request);
    throw connectUrl ? new GatewayError(error.code, error.message, { ...error.details, connectUrl }) : error;
  }
}

/** Only an end user that exists may have one, and only where an account of their own would help. */
async function connectUrlFor(gateway: Gateway, request: CallRequest): Promise<string | undefined> {
  const { orgId, workspaceId, endUserId, instance, action } = request;
  if (endUserId === null || instance?.connectionStrategy === 'fixed') return undefined;
  const endUser = await findEndUserByExternalId(gateway.db, orgId, workspaceId, endUserId);
  if (!endUser) return undefined;
  const restriction = instance ? { workspaceIntegrationId: instance.id } : { integrationName: action.integrationName };
  const { connectUrl } = await issueConnectToken(gateway, { orgId, workspaceId, endUser, ...restriction, expiresIn: CONNECT_TOKEN_SECONDS.min });
  return connectUrl;
}

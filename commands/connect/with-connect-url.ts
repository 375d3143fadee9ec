import type { CallError } from '../../domain/call.ts';
import { GatewayError } from '../../domain/errors.ts';
import { CONNECT_TOKEN_SECONDS } from '../../domain/limits.ts';
import type { WorkspaceIntegration } from '../../domain/workspace-integration.ts';
import { findEndUserByExternalId } from '../../store/end-users.ts';
import type { Gateway } from '../gateway.ts';
import { issueConnectToken } from './issue-connect-token.ts';

/** The account that is missing, and the end user who lacks it. */
export interface MissingAccount {
  orgId: string;
  workspaceId: string;
  /** External id. */
  endUserId: string | null;
  /** Null if the workspace has not configured the integration. */
  instance: Pick<WorkspaceIntegration, 'id' | 'connectionStrategy'> | null;
  integrationName: string;
}

/** Like `addConnectUrl`, for a thrown error. */
export async function withConnectUrl(gateway: Gateway, missing: MissingAccount, error: unknown): Promise<unknown> {
  if (!(error instanceof GatewayError) || error.code !== 'CONNECTION_REQUIRED') return error;
  const { message, details } = await addConnectUrl(gateway, missing, error);
  return new GatewayError(error.code, message, details);
}

/**
 * Adds `details.connectUrl`, a link for an hour, to a CONNECTION_REQUIRED error if the end user can
 * connect the account.
 */
export async function addConnectUrl(gateway: Gateway, missing: MissingAccount, error: CallError): Promise<CallError> {
  const { code, message, details } = error;
  const { orgId, workspaceId, endUserId, instance, integrationName } = missing;
  if (code !== 'CONNECTION_REQUIRED' || endUserId === null || instance?.connectionStrategy === 'fixed') return error;
  const endUser = await findEndUserByExternalId(gateway.db, orgId, workspaceId, endUserId);
  if (!endUser) {
    const unknown = 'This workspace has no end user with that endUserId yet, so there is no connect link. Create the end user first.';
    return { code, message: `${message} ${unknown}`, details };
  }
  const restriction = instance ? { workspaceIntegrationId: instance.id } : { integrationName };
  const expiresIn = CONNECT_TOKEN_SECONDS.min;
  const { connectUrl } = await issueConnectToken(gateway, { endUser, ...restriction, expiresIn });
  return { code, message, details: { ...details, connectUrl } };
}

import { CONNECT_TOKEN_SECONDS } from '../../domain/limits.ts';
import { isMissingReference } from '../../infra/database.ts';
import { insertConnectToken, type NewConnectToken } from '../../store/connect-tokens.ts';
import { noSuchEndUser } from '../end-users/get-end-user.ts';
import type { Gateway } from '../gateway.ts';
import { type ConnectTarget, checkConnectTarget } from './check-connect-target.ts';

export interface ConnectTokenRequest extends ConnectTarget {
  orgId: string;
  workspaceId: string;
  endUser: { id: string };
  /**
   * Whether the requester may decide approvals. If so, an unrestricted token also opens the
   * approvals that wait for the end user. Never true for a caller whose own calls may be gated,
   * since it could then approve them.
   */
  mayReview?: boolean;
  /** Seconds. */
  expiresIn?: number | undefined;
}

/**
 * A new token, and the URL where its end user connects accounts. Both are returned here and stored
 * nowhere.
 */
export interface IssuedConnectToken {
  connectUrl: string;
  token: string;
  expiresAt: Date;
}

/**
 * Lets an end user connect accounts through the portal until the token expires. Throws the errors
 * of `checkConnectTarget`, and NOT_FOUND if the end user is gone.
 */
export async function issueConnectToken(gateway: Gateway, request: ConnectTokenRequest): Promise<IssuedConnectToken> {
  return mintConnectToken(gateway, request, await checkConnectTarget(gateway, request, request));
}

/** Like `issueConnectToken`, for a target that was already checked. */
export async function mintConnectToken(
  { db, tokens, config }: Pick<Gateway, 'db' | 'tokens' | 'config'>,
  { orgId, workspaceId, endUser, mayReview = false, expiresIn = CONNECT_TOKEN_SECONDS.default }: ConnectTokenRequest,
  restriction: Pick<NewConnectToken, 'integrationName' | 'workspaceIntegrationId'>,
): Promise<IssuedConnectToken> {
  const token = tokens.issue('eut_');
  const expiresAt = await insertConnectToken(db, {
    ...restriction,
    orgId,
    workspaceId,
    endUserId: endUser.id,
    mayReview: mayReview && restriction.integrationName === null && restriction.workspaceIntegrationId === null,
    tokenHash: tokens.hash(token),
    expiresInSeconds: expiresIn,
  }).catch((error) => {
    throw isMissingReference(error) ? noSuchEndUser() : error;
  });
  return { connectUrl: `${config.platformUrl}/connect/portal?token=${token}`, token, expiresAt };
}

import { CONNECT_TOKEN_SECONDS } from '../domain/limits.ts';
import { isMissingReference } from '../infra/database.ts';
import { insertConnectToken, type NewConnectToken } from '../store/connect-tokens.ts';
import { type ConnectTarget, checkConnectTarget } from './check-connect-target.ts';
import type { Gateway } from './gateway.ts';
import { noSuchEndUser } from './get-end-user.ts';

export interface ConnectTokenRequest extends ConnectTarget {
  orgId: string;
  workspaceId: string;
  endUser: { id: string };
  /**
   * Whether who asks for it may decide approvals: then, unless it is restricted, it also opens what waits for the end user's decision. Never
   * for a caller that may be gated: it would decide its own calls.
   */
  mayReview?: boolean;
  /** Seconds. */
  expiresIn?: number | undefined;
}

/** A new token and the address where its end user connects accounts with it; both are in this answer and nowhere else. */
export interface IssuedConnectToken {
  connectUrl: string;
  token: string;
  expiresAt: Date;
}

/** Lets an end user connect accounts through the portal until the token expires. Throws what the check of the target throws, and NOT_FOUND when the end user is gone. */
export async function issueConnectToken(gateway: Gateway, request: ConnectTokenRequest): Promise<IssuedConnectToken> {
  return mintConnectToken(gateway, request, await checkConnectTarget(gateway, request, request));
}

/** The same for a target that was checked already. */
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

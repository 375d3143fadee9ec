import type { Actor } from '../../domain/approval.ts';
import { connectLinkActivity } from '../../domain/audit/setup-activity.ts';
import type { EndUser } from '../../domain/end-user.ts';
import { CONNECT_TOKEN_SECONDS } from '../../domain/limits.ts';
import { isMissingReference } from '../../infra/database.ts';
import { insertConnectToken, type NewConnectToken } from '../../store/connect-tokens.ts';
import { activityRows } from '../audit/record-activity.ts';
import { noSuchEndUser } from '../end-users/get-end-user.ts';
import type { Gateway } from '../gateway.ts';
import { type ConnectTarget, checkConnectTarget } from './check-connect-target.ts';

export interface ConnectTokenRequest extends ConnectTarget {
  endUser: Pick<EndUser, 'orgId' | 'workspaceId' | 'id' | 'externalId'>;
  /**
   * True: an unrestricted token also opens the approvals that wait for the end user. Must be false
   * for a caller whose calls may need approval, because the caller could approve them.
   */
  mayReview?: boolean;
  /** Lifetime in seconds. */
  expiresIn?: number | undefined;
}

/** The token and the URL are stored nowhere. */
export interface IssuedConnectToken {
  connectUrl: string;
  token: string;
  expiresAt: Date;
}

/**
 * Issues a token with which an end user connects accounts in the portal. Without `by`, records no
 * activity, because every failed action call can issue a token.
 */
export async function issueConnectToken(gateway: Gateway, request: ConnectTokenRequest, by?: Actor): Promise<IssuedConnectToken> {
  const restriction = await checkConnectTarget(gateway, request.endUser, request);
  return mintConnectToken(gateway, request, restriction, by && { type: 'connect_link.issued', by });
}

/** Like `issueConnectToken`, for a checked target. Without `recorded`, no activity is recorded. */
export async function mintConnectToken(
  { db, tokens, config }: Pick<Gateway, 'db' | 'tokens' | 'config'>,
  { endUser, mayReview: mayDecide = false, expiresIn: expiresInSeconds = CONNECT_TOKEN_SECONDS.default }: ConnectTokenRequest,
  restriction: Pick<NewConnectToken, 'integrationName' | 'workspaceIntegrationId'>,
  recorded?: { type: 'connect_link.issued' | 'end_user.invited'; by: Actor },
): Promise<IssuedConnectToken> {
  const token = tokens.issue('eut_');
  const { orgId, workspaceId, id: endUserId, externalId } = endUser;
  const { integrationName, workspaceIntegrationId } = restriction;
  const mayReview = mayDecide && integrationName === null && workspaceIntegrationId === null;
  const details = {
    kind: 'portal',
    endUserId: externalId,
    endUserUuid: endUserId,
    workspaceIntegrationId,
    mayReview,
    expiresInSeconds,
  } as const;
  const place = { orgId, workspaceId, integrationName };
  const events = recorded ? activityRows(connectLinkActivity(recorded.type, place, recorded.by, details)) : [];
  const stored = { ...place, workspaceIntegrationId, endUserId, mayReview, tokenHash: tokens.hash(token), expiresInSeconds };
  const expiresAt = await insertConnectToken(db, stored, events).catch((error) => {
    throw isMissingReference(error) ? noSuchEndUser() : error;
  });
  return { connectUrl: `${config.platformUrl}/connect/portal?token=${token}`, token, expiresAt };
}

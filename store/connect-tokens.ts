import type { EndUser } from '../domain/end-user.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { type ActivityRow, activityJson, recordedWith } from './activity.ts';
import { columnsSql } from './columns.ts';
import { END_USER_FIELDS } from './end-users.ts';

/** A token with which one end user connects accounts until `expiresAt` (specification 5.8). */
export interface ConnectToken {
  id: string;
  orgId: string;
  workspaceId: string;
  endUser: EndUser;
  /** The only integration that may be connected; null: any. */
  integrationName: string | null;
  /** The only configured instance that may be connected; null: any. */
  workspaceIntegrationId: string | null;
  /** True if the page of the token also shows the end user's pending approvals. */
  mayReview: boolean;
  expiresAt: Date;
}

export interface NewConnectToken {
  orgId: string;
  workspaceId: string;
  endUserId: string;
  integrationName: string | null;
  workspaceIntegrationId: string | null;
  mayReview: boolean;
  tokenHash: Buffer;
  expiresInSeconds: number;
}

const INSERT = {
  name: 'insert-connect-token',
  text: `with swept as (delete from connect_tokens where end_user_id = $3 and expires_at <= now()),
         made as (
           insert into connect_tokens (org_id, workspace_id, end_user_id, integration_name, workspace_integration_id, may_review, token_hash,
             expires_at)
           values ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8)) returning expires_at as "expiresAt"),
         ${recordedWith('made', 9)} select * from made`,
};

/** Inserts a token, records the events, and returns the expiry of the token. */
export async function insertConnectToken(db: Db, token: NewConnectToken, events: readonly ActivityRow[]): Promise<Date> {
  const [row] = await runPrepared<{ expiresAt: Date }>(db, INSERT, [
    token.orgId,
    token.workspaceId,
    token.endUserId,
    token.integrationName,
    token.workspaceIntegrationId,
    token.mayReview,
    token.tokenHash,
    token.expiresInSeconds,
    activityJson(events),
  ]);
  return row!.expiresAt;
}

const END_USER = columnsSql<EndUser>('u', ...END_USER_FIELDS);

const BY_HASH = {
  name: 'connect-token-by-hash',
  text: `select ${END_USER}, t.id as "tokenId", t.integration_name as "integrationName",
           t.workspace_integration_id as "workspaceIntegrationId", t.may_review as "mayReview", t.expires_at as "expiresAt"
         from connect_tokens t join end_users u on u.id = t.end_user_id
         where t.token_hash = $1 and t.expires_at > now()`,
};

type Row = EndUser & Pick<ConnectToken, 'integrationName' | 'workspaceIntegrationId' | 'mayReview' | 'expiresAt'> & { tokenId: string };

/** Finds an unexpired token by its hash. */
export async function findConnectTokenByHash(db: Db, hash: Buffer): Promise<ConnectToken | undefined> {
  const [row] = await runPrepared<Row>(db, BY_HASH, [hash]);
  if (!row) return undefined;
  const { tokenId, integrationName, workspaceIntegrationId, mayReview, expiresAt, ...endUser } = row;
  const { orgId, workspaceId } = endUser;
  return { id: tokenId, orgId, workspaceId, endUser, integrationName, workspaceIntegrationId, mayReview, expiresAt };
}

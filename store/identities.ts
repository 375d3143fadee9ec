import type { Identity } from '../domain/oauth/sign-in.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { columnsSql } from './columns.ts';

const COLUMNS = columnsSql<Identity>('identities', 'id', 'issuer', 'subject', 'email');

const UPSERT = {
  name: 'upsert-identity',
  text: `insert into identities (issuer, subject, email) values ($1, $2, $3)
         on conflict (issuer, subject) do update set email = excluded.email, last_sign_in_at = now()
         returning ${COLUMNS}`,
};

/** Inserts an identity, or updates its e-mail address and the time of its last sign-in. */
export async function upsertIdentity(db: Db, { issuer, subject, email }: Omit<Identity, 'id'>): Promise<Identity> {
  const [row] = await runPrepared<Identity>(db, UPSERT, [issuer, subject, email]);
  return row!;
}

/** The end user linked to an identity in a workspace. */
export interface LinkedEndUser {
  endUserId: string;
  externalId: string;
}

const LINKED = {
  name: 'end-user-of-identity',
  text: `select l.end_user_id as "endUserId", u.external_id as "externalId"
         from identity_links l join end_users u on u.id = l.end_user_id
         where l.identity_id = $1 and l.workspace_id = $2`,
};

export async function findLinkedEndUser(db: Db, identityId: string, workspaceId: string): Promise<LinkedEndUser | undefined> {
  const [row] = await runPrepared<LinkedEndUser>(db, LINKED, [identityId, workspaceId]);
  return row;
}

/** Links an identity to an end user, unless the identity has a link in this workspace. */
export async function insertIdentityLink(
  db: Db,
  link: { identityId: string; orgId: string; workspaceId: string; endUserId: string },
): Promise<void> {
  await db('identity_links')
    .insert({ identity_id: link.identityId, org_id: link.orgId, workspace_id: link.workspaceId, end_user_id: link.endUserId })
    .onConflict(['identity_id', 'workspace_id'])
    .ignore();
}

/**
 * Returns at most two end users of a workspace with this e-mail address, which is in lower case.
 */
export async function listEndUsersByEmail(db: Db, workspaceId: string, email: string): Promise<LinkedEndUser[]> {
  return db('end_users')
    .select('id as endUserId', 'external_id as externalId')
    .where({ workspace_id: workspaceId })
    .whereRaw('lower(email) = ?', [email])
    .orderBy('created_at')
    .limit(2);
}

/** An end user of an identity, with the workspace of the end user. */
export interface EndUserOfIdentity extends LinkedEndUser {
  orgId: string;
  workspaceId: string;
  workspaceName: string;
}

const END_USERS = {
  name: 'end-users-of-identity',
  text: `select u.id as "endUserId", u.external_id as "externalId", u.org_id as "orgId", u.workspace_id as "workspaceId",
           w.name as "workspaceName"
         from end_users u join workspaces w on w.id = u.workspace_id
         where exists (select 1 from identity_links l where l.identity_id = $1 and l.end_user_id = u.id)
           or (lower(u.email) = $2
             and not exists (select 1 from identity_links l where l.identity_id = $1 and l.workspace_id = u.workspace_id)
             and not exists (select 1 from end_users o
               where lower(o.email) = $2 and o.workspace_id = u.workspace_id and o.id <> u.id))
         order by w.name, u.id limit 100`,
};

/**
 * Returns at most 100 end users of an identity. In each workspace this is the linked end user, or
 * else the only end user with the e-mail address of the identity.
 */
export async function listEndUsersOfIdentity(db: Db, { id, email }: Pick<Identity, 'id' | 'email'>): Promise<EndUserOfIdentity[]> {
  return runPrepared<EndUserOfIdentity>(db, END_USERS, [id, email]);
}

import type { CountedEndUser, EndUser } from '../domain/end-user.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { type ActivityRow, activityJson, EVENT_FIELDS, eventFields, recordedEachWith, recordedWith } from './activity.ts';
import { columns, columnsSql, toRow } from './columns.ts';
import { CONNECTIONS_OF_END_USER, type ConnectionJson, type ConnectionSummary, toConnectionSummary } from './connections-of-end-user.ts';
import { type KeyedRequest, type KeyWith, keyedRead } from './key-lookups.ts';
import { oldestFirst, type Page, type PageRequest, pageOf } from './page.ts';
import { personMatches } from './person-matches.ts';

/** The columns of an end user. */
export const END_USER_FIELDS = [
  'id',
  'orgId',
  'workspaceId',
  'externalId',
  'displayName',
  'email',
  'metadata',
  'type',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof EndUser)[];

const COLUMNS = columns<EndUser>(...END_USER_FIELDS);
const SQL_COLUMNS = columnsSql<EndUser>('end_users', ...END_USER_FIELDS);

const CONNECTION_COUNT = '(select count(*)::int from connections where connections.end_user_id = end_users.id) as "connectionCount"';

export type NewEndUser = Pick<EndUser, 'id' | 'orgId' | 'workspaceId' | 'externalId' | 'displayName' | 'email' | 'metadata'>;
export type EndUserChanges = Partial<Pick<EndUser, 'displayName' | 'email' | 'metadata'>>;

/** Inserts the rows in a fixed order, so that concurrent statements do not deadlock. */
const INSERT = {
  name: 'insert-end-users',
  text: `with given as (
           select * from json_to_recordset($1) as given (org_id uuid, workspace_id uuid, external_id text, display_name text, email text,
             metadata text, id uuid, ${EVENT_FIELDS})),
         made as (
           insert into end_users (org_id, workspace_id, external_id, display_name, email, metadata, id)
           select w.org_id, w.id, external_id, display_name, email, metadata::json, given.id
           from given join workspaces w on w.org_id = given.org_id and w.id = given.workspace_id order by w.id, external_id
           on conflict (workspace_id, external_id) do nothing returning ${SQL_COLUMNS}),
         ${recordedEachWith('made', 'given')} select * from made`,
};

/** An end user to insert, and the event that records the insertion. */
export interface CreatedEndUser {
  endUser: NewEndUser;
  event: ActivityRow;
}

/**
 * Inserts end users and records their events. Returns the end users in the order of `created`;
 * undefined if there is no such workspace or the externalId exists.
 */
export async function insertEndUsers(db: Db, created: readonly CreatedEndUser[]): Promise<(EndUser | undefined)[]> {
  const rows = created.map(({ endUser, event }) => ({ ...toRow(endUser, ['metadata']), ...eventFields(event) }));
  const made = await runPrepared<EndUser>(db, INSERT, [JSON.stringify(rows)]);
  const byId = new Map(made.map((endUser) => [endUser.id, endUser]));
  return created.map(({ endUser }) => byId.get(endUser.id));
}

const UPSERT = {
  name: 'upsert-end-user',
  text: `with found as (
           insert into end_users (org_id, workspace_id, external_id, id) select org_id, id, $3, $4 from workspaces where org_id = $1 and id = $2
           on conflict (workspace_id, external_id) do update set updated_at = end_users.updated_at returning ${SQL_COLUMNS}),
         made as (select from found where id = $4),
         ${recordedWith('made', 5)} select * from found`,
};

/**
 * Finds or inserts the end user with that externalId. Locks the end user against deletion until the
 * transaction ends. Returns undefined if there is no such workspace.
 */
export async function upsertEndUser(
  db: Db,
  { id, orgId, workspaceId, externalId }: Pick<EndUser, 'id' | 'orgId' | 'workspaceId' | 'externalId'>,
  events: readonly ActivityRow[],
): Promise<EndUser | undefined> {
  const [row] = await runPrepared<EndUser>(db, UPSERT, [orgId, workspaceId, externalId, id, activityJson(events)]);
  return row;
}

export async function findEndUserByExternalId(
  db: Db,
  orgId: string,
  workspaceId: string,
  externalId: string,
): Promise<EndUser | undefined> {
  return byExternalId(db, { orgId, workspaceId, externalId }).first();
}

/**
 * Like `findEndUserByExternalId`, but also locks the end user against deletion until the
 * transaction ends.
 */
export async function holdEndUserByExternalId(
  db: Db,
  key: Pick<EndUser, 'orgId' | 'workspaceId' | 'externalId'>,
): Promise<EndUser | undefined> {
  return byExternalId(db, key).forKeyShare().first();
}

function byExternalId(db: Db, { orgId, workspaceId, externalId }: Pick<EndUser, 'orgId' | 'workspaceId' | 'externalId'>) {
  return db('end_users').select(COLUMNS).where({ org_id: orgId, workspace_id: workspaceId, external_id: externalId });
}

const BY_ID = {
  name: 'end-user-by-id',
  text: `select ${SQL_COLUMNS}, ${CONNECTION_COUNT} from end_users where org_id = $1 and id = $2`,
};

export async function findEndUser(db: Db, orgId: string, id: string): Promise<CountedEndUser | undefined> {
  const [row] = await runPrepared<CountedEndUser>(db, BY_ID, [orgId, id]);
  return row;
}

/** An end user with its connections, oldest first. */
export interface ConnectedEndUser extends EndUser {
  connections: ConnectionSummary[];
}

const readWithKeys = keyedRead<EndUser & { connections: ConnectionJson[] }>('end_users', `${SQL_COLUMNS}, ${CONNECTIONS_OF_END_USER}`);

/** Finds the end users that requests name, together with the API keys of these requests. */
export async function findEndUsersWithKeys(db: Db, requests: readonly KeyedRequest[]): Promise<(KeyWith<ConnectedEndUser> | undefined)[]> {
  const found = await readWithKeys(db, requests);
  return found.map(
    (one) => one && { key: one.key, record: one.record && { ...one.record, connections: one.record.connections.map(toConnectionSummary) } },
  );
}

/**
 * Returns a page of end users of one or all workspaces, oldest first, with the exact total. `text`:
 * a part of the external id, the name or the e-mail address, ignoring case.
 */
export async function listEndUsers(
  db: Db,
  { orgId, workspaceId, text }: Pick<EndUser, 'orgId'> & { workspaceId?: string | undefined; text?: string },
  page: PageRequest,
): Promise<Page<CountedEndUser>> {
  const all = db('end_users').where(toRow({ orgId, workspaceId }));
  if (text) all.whereRaw(personMatches(text), { orgId, text });
  return pageOf(all, page, (ids) => {
    return db('end_users').select(COLUMNS).select(db.raw(CONNECTION_COUNT)).whereIn('id', ids).orderBy(oldestFirst());
  });
}

export async function updateEndUser(db: Db, orgId: string, id: string, changes: EndUserChanges): Promise<CountedEndUser | undefined> {
  const [row] = await db('end_users')
    .where({ org_id: orgId, id })
    .update({ ...toRow(changes, ['metadata']), updated_at: db.fn.now() })
    .returning([...COLUMNS, db.raw(CONNECTION_COUNT)] as string[]);
  return row;
}

/** Reads an end user, and locks the row against changes until the transaction ends. */
export async function lockEndUserFields(db: Db, orgId: string, id: string): Promise<EndUser | undefined> {
  return db('end_users').select(COLUMNS).where({ org_id: orgId, id }).forNoKeyUpdate().first();
}

/**
 * Locks an end user until the transaction ends, so that no new record refers to the end user.
 * Returns false if the end user is gone.
 */
export async function lockEndUser(db: Db, orgId: string, id: string): Promise<boolean> {
  return (await db('end_users').select('id').where({ org_id: orgId, id }).forUpdate().first()) !== undefined;
}

/** Deletes an end user and, by cascade, the connections, tokens and MCP servers of the end user. */
export async function deleteEndUser(db: Db, orgId: string, id: string): Promise<boolean> {
  return (await db('end_users').where({ org_id: orgId, id }).delete()) > 0;
}

import type { Activity, Seal } from '../domain/activity.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { columnsSql } from './columns.ts';

/**
 * The last seal of an organization's hash chain. Position 0 and a null hash while nothing is
 * sealed.
 */
export interface Head {
  position: number;
  hash: string | null;
}

/** SQL: the creation time of a row `a` as ISO 8601 text, precise to the microsecond. */
export const CREATED_AT = `to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "createdAt"`;

/** SQL: the select list for a row `a`. */
export const ACTIVITY_SQL = `${columnsSql<Activity>(
  'a',
  'id',
  'orgId',
  'workspaceId',
  'type',
  'actorType',
  'actorId',
  'approvalId',
  'policyId',
  'policyVersion',
  'callId',
  'codeRunId',
  'deliveryId',
  'integrationName',
  'actionName',
)}, a.details::text as details, ${CREATED_AT}`;

/** Organizations that have unsealed rows. */
export async function listUnsealedOrgIds(db: Db): Promise<string[]> {
  const rows = await db('activity_unsealed').distinct('org_id as orgId');
  return rows.map((row) => row.orgId);
}

/**
 * Locks the head of an organization's chain until the transaction ends, so that only one process
 * seals.
 */
export async function holdHead(tx: Db, orgId: string): Promise<Head> {
  await tx('activity_heads').insert({ org_id: orgId }).onConflict('org_id').ignore();
  return tx('activity_heads').select('position', 'hash').where({ org_id: orgId }).forUpdate().first();
}

/** The oldest unsealed rows, at most `limit`. */
export async function listUnsealed(db: Db, orgId: string, limit: number): Promise<Activity[]> {
  const { rows } = await db.raw(
    `select ${ACTIVITY_SQL} from activity_unsealed u join activity a on a.id = u.activity_id and a.org_id = u.org_id
     where u.org_id = ? order by u.activity_id limit ?`,
    [orgId, limit],
  );
  return rows;
}

const SEAL = {
  name: 'seal-activity',
  text: `with sealed as (
           insert into activity_seals (org_id, activity_id, position, hash)
           select $1::uuid, * from unnest($2::bigint[], $3::bigint[], $4::text[]) returning activity_id),
         taken as (
           delete from activity_unsealed using sealed where org_id = $1 and activity_unsealed.activity_id = sealed.activity_id)
         update activity_heads set position = $3[array_upper($3, 1)], hash = $4[array_upper($4, 1)] where org_id = $1`,
};

/** Appends the seals of rows to a chain. The caller must hold its head (`holdHead`). */
export async function sealActivity(tx: Db, orgId: string, seals: readonly (Seal & { id: number })[]): Promise<void> {
  const values = [orgId, seals.map(({ id }) => id), seals.map(({ position }) => position), seals.map(({ hash }) => hash)];
  await runPrepared(tx, SEAL, values);
}

/** All organizations, and deleted ones that still have a chain or rows, ordered by id. */
export async function listAuditedOrgIds(db: Db): Promise<string[]> {
  const { rows } = await db.raw(
    `select org_id as "orgId" from activity_heads union select distinct org_id from activity_seals
     union select distinct org_id from activity union select id from orgs order by 1`,
  );
  return rows.map((row: { orgId: string }) => row.orgId);
}

export async function findHead(db: Db, orgId: string): Promise<Head> {
  return (await db('activity_heads').select('position', 'hash').where({ org_id: orgId }).first()) ?? { position: 0, hash: null };
}

/** A seal, and the present content of its row. `activity` is null if the row is gone. */
export interface SealedActivity extends Seal {
  activityId: number;
  activity: Activity | null;
}

/** Seals with positions after `after` and up to `upTo`, in order. */
export async function listSealed(db: Db, orgId: string, range: { after: number; upTo: number; limit: number }): Promise<SealedActivity[]> {
  const { rows } = await db.raw(
    `select s.position, s.hash, s.activity_id as "activityId", ${ACTIVITY_SQL}
     from activity_seals s left join activity a on a.id = s.activity_id
     where s.org_id = ? and s.position > ? and s.position <= ? order by s.position limit ?`,
    [orgId, range.after, range.upTo, range.limit],
  );
  return rows.map(({ position, hash, activityId, ...activity }: Seal & { activityId: number } & Activity) => ({
    ...{ position, hash, activityId },
    activity: activity.id === null ? null : activity,
  }));
}

/** A row or a seal that is not part of its chain. */
export interface Stray {
  id: number;
  position: number | null;
}

const STRAYS = 20;

/** Returns rows that are in no chain and not marked as unsealed. */
export async function listForeign(db: Db, orgId: string): Promise<Stray[]> {
  return strays(
    db,
    orgId,
    `select a.id, null as position from activity a where a.org_id = :orgId
       and not exists (select from activity_seals s where s.activity_id = a.id)
       and not exists (select from activity_unsealed u where u.org_id = a.org_id and u.activity_id = a.id)`,
  );
}

/** Returns seals with positions after the head of the chain. */
export async function listBeyondHead(db: Db, orgId: string): Promise<Stray[]> {
  return strays(
    db,
    orgId,
    `select activity_id as id, position from activity_seals where org_id = :orgId
       and position > coalesce((select position from activity_heads where org_id = :orgId), 0)`,
  );
}

/** Returns rows that were marked as unsealed and are gone. */
export async function listRemovedUnsealed(db: Db, orgId: string): Promise<Stray[]> {
  return strays(
    db,
    orgId,
    `select u.activity_id as id, null as position from activity_unsealed u where u.org_id = :orgId
       and not exists (select from activity a where a.id = u.activity_id and a.org_id = u.org_id)`,
  );
}

async function strays(db: Db, orgId: string, sql: string): Promise<Stray[]> {
  return (await db.raw(`${sql} order by 1 limit ${STRAYS}`, { orgId })).rows;
}

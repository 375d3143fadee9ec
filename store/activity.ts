import type { Activity, NewActivity } from '../domain/activity.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { toRow } from './columns.ts';

/** A new row. `details` are canonical JSON. */
export type ActivityRow = Omit<NewActivity, 'actor' | 'details'> & Pick<Activity, 'actorType' | 'actorId' | 'details'>;

const NAMES = `org_id, workspace_id, type, actor_type, actor_id, approval_id, policy_id, policy_version, call_id, code_run_id, delivery_id,
               integration_name, action_name`;

const INSERT = {
  name: 'insert-activity',
  text: `with written as (
           insert into activity (${NAMES}, details)
           select ${NAMES}, details::json from json_to_recordset($1) as given (org_id uuid, workspace_id uuid, type text, actor_type text,
             actor_id text, approval_id text, policy_id uuid, policy_version integer, call_id uuid, code_run_id text, delivery_id uuid,
             integration_name text, action_name text, details text)
           returning org_id, id)
         insert into activity_unsealed (org_id, activity_id) select org_id, id from written`,
};

/** True when an approval has a row of this type by this type of actor. */
export async function hasActivity(db: Db, about: Pick<ActivityRow, 'approvalId' | 'type' | 'actorType'>): Promise<boolean> {
  return (await db('activity').where(toRow(about)).first('id')) !== undefined;
}

/** Inserts rows in one round trip. They are sealed later. */
export async function insertActivity(db: Db, rows: readonly ActivityRow[]): Promise<void> {
  await runPrepared(db, INSERT, [JSON.stringify(rows.map((row) => toRow(row)))]);
}

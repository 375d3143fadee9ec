import type { Activity, NewActivity } from '../domain/activity.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { toRow } from './columns.ts';

/** A new row. `details` are canonical JSON. */
export type ActivityRow = Omit<NewActivity, 'actor' | 'details'> & Pick<Activity, 'actorType' | 'actorId' | 'details'>;

const NAMES = `org_id, workspace_id, type, actor_type, actor_id, approval_id, policy_id, policy_version, call_id, code_run_id, delivery_id,
               integration_name, action_name`;

/** The parameter holds the JSON of `activityJson`. */
const written = (parameter: number, condition = '') => `
  written as (
    insert into activity (${NAMES}, details)
    select ${NAMES}, details::json from json_to_recordset($${parameter}) as given (org_id uuid, workspace_id uuid, type text, actor_type text,
      actor_id text, approval_id text, policy_id uuid, policy_version integer, call_id uuid, code_run_id text, delivery_id uuid,
      integration_name text, action_name text, details text) ${condition}
    returning org_id, id)`;

const INTO_QUEUE = 'insert into activity_unsealed (org_id, activity_id) select org_id, id from written';

const INSERT = { name: 'insert-activity', text: `with ${written(1)} ${INTO_QUEUE}` };

/**
 * CTEs that record events in the same statement as a change. Without a row in the CTE `change`,
 * nothing is recorded. `parameter`: the number of the parameter for `activityJson`.
 */
export function recordedWith(change: string, parameter: number): string {
  return `${written(parameter, `where exists (select from ${change})`)}, queued as (${INTO_QUEUE})`;
}

/**
 * Like `recordedWith`, for new records with one event each. The CTE `change` returns "id", "orgId"
 * and "workspaceId". The CTE `given` has "id" and `EVENT_FIELDS`.
 */
export function recordedEachWith(change: string, given: string): string {
  return `
  written as (
    insert into activity (org_id, workspace_id, type, actor_type, actor_id, details)
    select "orgId", "workspaceId", event_type, actor_type, actor_id, details::json from ${change} join ${given} using (id)
    returning org_id, id),
  queued as (${INTO_QUEUE})`;
}

/** The fields of `eventFields` in a column definition list. */
export const EVENT_FIELDS = 'event_type text, actor_type text, actor_id text, details text';

/** The event of a new record, for `recordedEachWith`. */
export function eventFields({ type, actorType, actorId, details }: ActivityRow) {
  return { event_type: type, actor_type: actorType, actor_id: actorId, details };
}

/** Rows of the activity log as JSON, for `recordedWith`. */
export function activityJson(rows: readonly ActivityRow[]): string {
  return JSON.stringify(rows.map((row) => toRow(row)));
}

/** Whether an approval has a row of this type by this type of actor. */
export async function hasActivity(db: Db, about: Pick<ActivityRow, 'approvalId' | 'type' | 'actorType'>): Promise<boolean> {
  return (await db('activity').where(toRow(about)).first('id')) !== undefined;
}

/** Inserts rows. They are added to the hash chain later. */
export async function insertActivity(db: Db, rows: readonly ActivityRow[]): Promise<void> {
  await runPrepared(db, INSERT, [activityJson(rows)]);
}

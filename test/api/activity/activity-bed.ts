import type { NewActivity } from '../../../domain/activity.ts';
import type { Db } from '../../../infra/database.ts';

/** The activity rows of an approval, oldest first: type, details and actor. */
export async function trailOf(db: Db, where: object) {
  return db('activity')
    .select('type', 'actor_type as actorType', 'actor_id as actorId', 'details', 'call_id as callId', 'approval_id as approvalId')
    .where(where)
    .orderBy('id');
}

/** A row for tests in which its content does not matter. */
export function anActivity(orgId: string, fields: Partial<NewActivity> = {}): NewActivity {
  return {
    orgId,
    workspaceId: null,
    type: 'call.blocked',
    actor: { type: 'api_key', id: 'a key' },
    details: { reason: 'a test' },
    ...fields,
  };
}

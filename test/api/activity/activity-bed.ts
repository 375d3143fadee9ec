import type { NewActivity } from '../../../domain/activity.ts';
import type { Db } from '../../../infra/database.ts';

/** Returns the activity rows that match `where`, oldest first. */
export async function trailOf(db: Db, where: object) {
  return db('activity')
    .select('type', 'actor_type as actorType', 'actor_id as actorId', 'details', 'call_id as callId', 'approval_id as approvalId')
    .where(where)
    .orderBy('id');
}

/** Returns an activity row with these fields. */
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

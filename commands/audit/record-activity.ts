import canonicalize from 'canonicalize';
import type { NewActivity } from '../../domain/activity.ts';
import type { Db } from '../../infra/database.ts';
import { type ActivityRow, insertActivity } from '../../store/activity.ts';

/**
 * Writes rows of the activity log. `db` is the transaction of the change that the rows describe, if
 * there is one.
 */
export async function recordActivity(db: Db, ...entries: NewActivity[]): Promise<void> {
  if (entries.length > 0) await insertActivity(db, activityRows(...entries));
}

/** Rows for a store function that writes them in the statement of the change (`recordedWith`). */
export function activityRows(...entries: NewActivity[]): ActivityRow[] {
  return entries.map(activityRow);
}

/** Like `activityRows`, for one event. */
export function activityRow({ actor, details = {}, ...entry }: NewActivity): ActivityRow {
  return { ...entry, actorType: actor.type, actorId: actor.id, details: canonicalize(details)! };
}

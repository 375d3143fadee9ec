import canonicalize from 'canonicalize';
import type { NewActivity } from '../../domain/activity.ts';
import type { Db } from '../../infra/database.ts';
import { insertActivity } from '../../store/activity.ts';

/**
 * Writes rows of the activity log, in the transaction of the change that they describe. One round
 * trip for any number of rows.
 */
export async function recordActivity(db: Db, ...entries: NewActivity[]): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map(({ actor, details = {}, ...entry }) => ({
    ...entry,
    actorType: actor.type,
    actorId: actor.id,
    details: canonicalize(details)!,
  }));
  await insertActivity(db, rows);
}

import canonicalize from 'canonicalize';
import type { NewActivity } from '../domain/activity.ts';
import type { Db } from '../infra/database.ts';
import { insertActivity } from '../store/activity.ts';

/** Writes the audit trail, in the transaction of what it tells of: both are there, or neither. One round trip, however many entries. */
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

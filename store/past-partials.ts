import type { InputPartial } from '../domain/input-partial.ts';
import type { Db } from '../infra/database.ts';
import { columns } from './columns.ts';

/** The values that a partial enforced until it was changed or deleted. */
export type PastPartial = Pick<InputPartial, 'values' | 'enforcedKeys'>;

/** Maximum numbers of rows and bytes that are read, because a page waits for them. */
const MAX_READ = 1000;
const MAX_READ_BYTES = 4 * 1024 * 1024;

/**
 * Returns former values that partials of a workspace enforced at or after `since`. Returns
 * undefined if the values exceed `MAX_READ` or `MAX_READ_BYTES`.
 */
export async function listPastPartials(db: Db, workspaceId: string, since: Date): Promise<PastPartial[] | undefined> {
  // A change becomes visible at its commit, some time after its timestamp.
  const retired = db('past_partials')
    .where({ workspace_id: workspaceId })
    .andWhereRaw("retired_at > ?::timestamptz - interval '1 minute'", [since]);
  const size = db.raw('coalesce(sum(octet_length("values"::text)), 0)::int as "sizeBytes"');
  const [{ count, sizeBytes }] = await retired.clone().select(db.raw('count(*)::int as count'), size);
  if (count === 0) return [];
  if (count > MAX_READ || sizeBytes > MAX_READ_BYTES) return undefined;
  return retired.select(columns<PastPartial>('values', 'enforcedKeys'));
}

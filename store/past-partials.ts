import type { InputPartial } from '../domain/input-partial.ts';
import type { Db } from '../infra/database.ts';
import { columns } from './columns.ts';

/** What a partial enforced until it was changed or deleted. */
export type PastPartial = Pick<InputPartial, 'values' | 'enforcedKeys'>;

/** More are not read: nobody waits for a page that long. */
const MAX_READ = 1000;
const MAX_READ_BYTES = 4 * 1024 * 1024;

/** What partials of a workspace enforced at that time or later and do not any more; undefined where it is too much to be read. */
export async function listPastPartials(db: Db, workspaceId: string, since: Date): Promise<PastPartial[] | undefined> {
  // A change is seen when it is committed, which is some time after it was made.
  const retired = db('past_partials')
    .where({ workspace_id: workspaceId })
    .andWhereRaw("retired_at > ?::timestamptz - interval '1 minute'", [since]);
  const size = db.raw('coalesce(sum(octet_length("values"::text)), 0)::int as "sizeBytes"');
  const [{ count, sizeBytes }] = await retired.clone().select(db.raw('count(*)::int as count'), size);
  if (count === 0) return [];
  if (count > MAX_READ || sizeBytes > MAX_READ_BYTES) return undefined;
  return retired.select(columns<PastPartial>('values', 'enforcedKeys'));
}

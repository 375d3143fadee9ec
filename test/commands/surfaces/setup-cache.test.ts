import { openSetupCache } from '../../../commands/surfaces/setup-cache.ts';
import { PARTIAL } from '../../../domain/limits.ts';
import { insertWorkspace } from '../../../store/workspaces.ts';
import { type ApiBed, openApiBed } from '../../api/api-bed.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed?.close());

/** Twenty workspaces of the maximum size do not fit into the cache. */
const LAST = 19;

test('setups are cached by version, and the least recently used are evicted', async () => {
  const { orgId, patient: db } = bed;
  const cache = openSetupCache(db);
  const ids: string[] = [];
  for (let index = 0; index < LAST + 1; index += 1) {
    const { id } = await insertWorkspace(db, { orgId, name: 'x', slug: `large-${index}` });
    await db.raw(
      `insert into partials (org_id, workspace_id, integration_name, name, "values")
       select ?, ?, 'kv-store', n::text, json_build_object('text', repeat('a', ?)) from generate_series(1, 4) n`,
      [orgId, id, PARTIAL.maxBytesOfWorkspace / 4 - 200],
    );
    ids.push(id);
  }
  const of = (workspaceId: string, surfaceVersion = 0) => cache.of({ orgId, workspaceId, surfaceVersion });
  const first = [];
  for (const id of ids) first.push(await of(id));
  expect(first[LAST]!.partials).toHaveLength(4);
  expect(await of(ids[LAST]!)).toBe(first[LAST]);
  expect(await of(ids[0]!)).not.toBe(first[0]);
  expect(await of(ids[LAST]!, 1)).not.toBe(first[LAST]);
});

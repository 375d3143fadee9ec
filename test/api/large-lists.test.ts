import { createOrg } from '../../commands/access/create-org.ts';
import { vacuum } from '../support/vacuum.ts';
import { type ApiBed, openApiBed } from './api-bed.ts';
import { readPlans } from './read-plans.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed.close());

const SQL = {
  mcp_servers: `insert into mcp_servers (org_id, workspace_id, name, description, mode, auth_mode, end_user_access, created_at)
    select :orgId, :workspaceId, n::text, repeat('x', 200), 'TOOLS', 'oauth', 'restricted', now() + n * interval '1 millisecond'
    from generate_series(1, :count) n`,
  partials: `insert into partials (org_id, workspace_id, integration_name, name, "values", created_at)
    select :orgId, :workspaceId, 'kv-store', n::text, json_build_object('key', repeat('x', 200)), now() + n * interval '1 millisecond'
    from generate_series(1, :count) n`,
};

test.each([
  ['mcp_servers', '/api/v1/mcp/servers', 'servers'],
  ['partials', '/api/v1/partials', 'partials'],
] as const)('a page of a large table of %s is found in the index, without a sequential scan', async (table, path, items) => {
  const other = await createOrg(bed.gateway, 'Other');
  for (const [{ orgId, workspaceId }, count] of [
    [bed, 6_000],
    [other, 18_000],
  ] as const) {
    await bed.patient.transaction(async (tx) => {
      await tx.raw('set local synchronous_commit = on');
      await tx.raw(SQL[table], { orgId, workspaceId, count });
    });
  }
  await vacuum(bed.patient, table);
  const query = `${path}?limit=50&offset=4950`;
  const page = await bed.api.must(200).get(query);
  expect([page[items][0].name, page[items].length, page.total]).toEqual(['4951', 50, 6_000]);
  const plans = await readPlans(bed.gateway.db, table, () => bed.api.get(query));
  expect(plans).toHaveLength(2);
  expect(plans[0]).toMatch(new RegExp(`Index Only Scan using ${table}_list`));
  for (const plan of plans) expect(plan).not.toMatch(new RegExp(`Seq Scan on ${table}`));
});

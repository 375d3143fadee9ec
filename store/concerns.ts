import type { Db } from '../infra/database.ts';
import type { Concern } from './approval-moves.ts';

/** The records that an approval may concern, by its field; what deletes them cancels it. */
const TABLES = {
  workspaceId: 'workspaces',
  mcpServerId: 'mcp_servers',
  workspaceIntegrationId: 'workspace_integrations',
  connectionId: 'connections',
} as const;

export type Held = { [Field in keyof typeof TABLES]: readonly (string | null)[] } & Pick<Concern, 'orgId'>;

/**
 * Keeps the records that something new will concern from being deleted before the transaction ends, so that their deletion finds it; false
 * when one of them is gone already.
 */
export async function holdConcern(tx: Db, { orgId, ...ids }: Held): Promise<boolean> {
  const named = (Object.keys(TABLES) as (keyof typeof TABLES)[]).flatMap((field) =>
    ids[field].flatMap((id) => (id === null ? [] : [{ field, id }])),
  );
  const held = named.map(
    ({ field }) => `(select count(*) from (select from ${TABLES[field]} where org_id = ? and id = ? for key share) held)`,
  );
  const { rows } = await tx.raw(
    `select ${held.join(' + ')} as held`,
    named.flatMap(({ id }) => [orgId, id]),
  );
  return Number(rows[0].held) === named.length;
}

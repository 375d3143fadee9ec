import type { Db } from '../infra/database.ts';
import type { Concern } from './approval-transitions.ts';

const TABLES = {
  workspaceId: 'workspaces',
  mcpServerId: 'mcp_servers',
  workspaceIntegrationId: 'workspace_integrations',
  connectionId: 'connections',
} as const;

export type Held = { [Field in keyof typeof TABLES]: readonly (string | null)[] } & Pick<Concern, 'orgId'>;

/**
 * Locks records against deletion until the transaction ends, so that a later deletion finds what
 * the transaction inserts. Returns false if one of the records is already gone.
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

import type { Db } from '../infra/database.ts';

const TABLES = {
  connections: 'connections',
  workspaceIntegrations: 'workspace_integrations',
  mcpTools: 'mcp_tools',
  partials: 'partials',
  oauthApps: 'oauth_apps',
} as const;

/** The numbers of records that use an integration. */
export type IntegrationUse = Record<keyof typeof TABLES, number>;

export async function countIntegrationUse(db: Db, orgId: string, name: string): Promise<IntegrationUse> {
  const of = (table: string) => `(select count(*)::int from ${table} where org_id = :orgId and integration_name = :name)`;
  const columns = Object.entries(TABLES).map(([key, table]) => `${of(table)} as "${key}"`);
  const { rows } = await db.raw(`select ${columns.join(', ')}`, { orgId, name });
  return rows[0];
}

/** Deletes connect sessions, connect tokens, and the records that `countIntegrationUse` counts. */
export async function deleteIntegrationUse(db: Db, orgId: string, name: string): Promise<void> {
  const tables = ['connect_sessions', 'connect_tokens', ...Object.values(TABLES)];
  for (const table of tables) await db(table).where({ org_id: orgId, integration_name: name }).delete();
}

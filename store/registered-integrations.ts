import type { Db } from '../infra/database.ts';

/**
 * Returns the names of the integrations that an organization has a connection or an MCP tool for,
 * sorted (contract decisions 2, Catalogue).
 */
export async function listRegisteredIntegrations(db: Db, orgId: string): Promise<string[]> {
  const of = (table: string) => db(table).select('integration_name').where({ org_id: orgId });
  const rows: { integration_name: string }[] = await of('connections').union(of('mcp_tools')).orderBy('integration_name');
  return rows.map((row) => row.integration_name);
}

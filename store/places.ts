import type { Db } from '../infra/database.ts';

/** A record that somebody looks for by its name or id. */
export interface Place {
  kind: 'approval' | 'run' | 'workspace' | 'policy' | 'server' | 'person';
  id: string;
  name: string;
}

/** Of each kind. */
const MOST = 5;

/**
 * Tables with their names. Rows of large tables are found by id only, or by a name that an index
 * has.
 */
const PLACES = [
  { kind: 'approval', table: 'approvals', name: 'id', matches: 'id = :text' },
  { kind: 'run', table: 'code_runs', name: 'id', matches: 'id = :text' },
  { kind: 'workspace', table: 'workspaces', name: 'name', matches: '(name ilike :like or cast(id as text) = :text)' },
  { kind: 'policy', table: 'approval_policies', name: 'name', matches: '(name ilike :like or cast(id as text) = :text)' },
  { kind: 'server', table: 'mcp_servers', name: 'name', matches: '(name ilike :like or cast(id as text) = :text)' },
  {
    kind: 'person',
    table: 'end_users',
    name: 'coalesce(display_name, external_id)',
    matches: '(workspace_id in (select id from workspaces where org_id = :orgId) and external_id = :text)',
  },
] as const;

const SQL = PLACES.map(
  ({ kind, table, name, matches }) =>
    `(select '${kind}' as kind, cast(id as text) as id, ${name} as name from ${table} where org_id = :orgId and ${matches} order by ${name} limit ${MOST})`,
).join(' union all ');

/** Records of an organization by a part of their name or by their id, in one query. */
export async function findPlaces(db: Db, orgId: string, text: string): Promise<Place[]> {
  const like = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  const { rows } = await db.raw(SQL, { orgId, text, like });
  return rows;
}

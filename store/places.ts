import type { Db } from '../infra/database.ts';
import { personMatches } from './person-matches.ts';

/** A record that a person can find by its name or id. */
export interface Place {
  kind: 'approval' | 'run' | 'workspace' | 'policy' | 'server' | 'connection' | 'person';
  id: string;
  name: string;
}

const MAX_OF_KIND = 14;

const BY_ID = 'id = :text';
const BY_NAME = '(name ilike :like or cast(id as text) = :text)';

/** Approvals and code runs have no name, so their id is shown. */
const PLACES = [
  { kind: 'approval', table: 'approvals', name: 'id', matches: BY_ID },
  { kind: 'run', table: 'code_runs', name: 'id', matches: BY_ID },
  { kind: 'workspace', table: 'workspaces', name: 'name', matches: BY_NAME },
  { kind: 'policy', table: 'approval_policies', name: 'name', matches: BY_NAME },
  { kind: 'server', table: 'mcp_servers', name: 'name', matches: BY_NAME },
  {
    kind: 'connection',
    table: 'connections',
    name: 'display_name',
    matches: '(display_name ilike :like or external_id = :text or cast(id as text) = :text)',
  },
  {
    kind: 'person',
    table: 'end_users',
    name: 'coalesce(display_name, external_id)',
    matches: '(:person or id = cast(:id as uuid))',
  },
] as const;

function sqlFor(text: string): string {
  return PLACES.map(
    ({ kind, table, name, matches }) =>
      `(select '${kind}' as kind, cast(id as text) as id, ${name} as name from ${table}
        where org_id = :orgId and ${matches.replace(':person', () => personMatches(text))}
        order by nullif(position(lower(:text) in lower(${name})), 0), ${name} limit ${MAX_OF_KIND})`,
  ).join(' union all ');
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

/**
 * Finds at most `MAX_OF_KIND` records of each kind by a part of their name, or by their id. Sorts
 * the records of a kind by the position of the text in the name.
 */
export async function findPlaces(db: Db, orgId: string, text: string): Promise<Place[]> {
  const like = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  const { rows } = await db.raw(sqlFor(text), { orgId, text, like, id: UUID.test(text) ? text : null });
  return rows;
}

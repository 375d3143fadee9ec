import type { Actor } from '../domain/approval.ts';
import type { Db } from '../infra/database.ts';

/** Types of actors whose names can be looked up by id. */
const NAMED: readonly Actor['type'][] = ['user', 'api_key', 'mcp_token'];
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Names by the id of the actor. No entry for an actor that is deleted or has no name. */
export async function listActorNames(db: Db, orgId: string, actors: readonly Actor[]): Promise<Map<string, string>> {
  const ids = [...new Set(actors.flatMap(({ type, id }) => (NAMED.includes(type) && id !== null && UUID.test(id) ? id : [])))];
  if (ids.length === 0) return new Map();
  const { rows } = await db.raw(
    `select u.id, coalesce(m.display_name, u.email) as name from users u left join memberships m on m.user_id = u.id and m.org_id = :orgId
       where u.id = any(:ids::uuid[])
     union all select id, name from api_keys where org_id = :orgId and id = any(:ids::uuid[])
     union all select t.id, s.name from mcp_tokens t join mcp_servers s on s.id = t.server_id
       where t.org_id = :orgId and t.id = any(:ids::uuid[])`,
    { orgId, ids },
  );
  return new Map(rows.map(({ id, name }: { id: string; name: string }) => [id, name]));
}

/** Ids of members and API keys whose name or e-mail address contains a text, at most `limit`. */
export async function listActorIds(db: Db, orgId: string, text: string, limit: number): Promise<string[]> {
  const { rows } = await db.raw(
    `select u.id from users u join memberships m on m.user_id = u.id and m.org_id = :orgId
       where strpos(lower(concat_ws(' ', m.display_name, u.email)), lower(:text)) > 0
     union all select id from api_keys where org_id = :orgId and strpos(lower(name), lower(:text)) > 0 limit :limit`,
    { orgId, text, limit },
  );
  return rows.map(({ id }: { id: string }) => id);
}

import type { Db } from '../infra/database.ts';
import type { StateOwner } from './kv-entries.ts';
import { foldedSql, holdsWordsSql, ownerColumns } from './state-owner.ts';

export interface EntityRow {
  name: string;
  type: string;
  observations: string[];
  createdAt: Date;
  updatedAt: Date;
}

const COLUMNS = ['name', 'type', 'observations', 'created_at as createdAt', 'updated_at as updatedAt'];

export async function findEntities(db: Db, owner: StateOwner, names: readonly string[]): Promise<EntityRow[]> {
  return entitiesOf(db, owner).whereIn('name', names).select(COLUMNS);
}

/** Returns the given names that exist. */
export async function findEntityNames(db: Db, owner: StateOwner, names: readonly string[]): Promise<string[]> {
  return entitiesOf(db, owner).whereIn('name', names).pluck('name');
}

/** Inserts entities, or replaces the observations of entities that exist. */
export async function putEntities(
  db: Db,
  owner: StateOwner,
  entities: readonly (Pick<EntityRow, 'name' | 'type' | 'observations'> & { sizeBytes: number })[],
): Promise<void> {
  const rows = entities.map(({ sizeBytes, ...entity }) => ({ ...ownerColumns(owner), ...entity, size_bytes: sizeBytes }));
  await db('memory_entities')
    .insert(rows)
    .onConflict(['org_id', 'workspace_id', 'scope', 'scope_key', 'name'])
    .merge({ observations: db.raw('excluded.observations'), size_bytes: db.raw('excluded.size_bytes'), updated_at: db.fn.now() });
}

/** Deletes entities with their relations, and returns the names that existed. */
export async function deleteEntities(db: Db, owner: StateOwner, names: readonly string[]): Promise<string[]> {
  const rows = await entitiesOf(db, owner).whereIn('name', names).delete(['name']);
  return rows.map(({ name }) => name);
}

export async function measureEntities(db: Db, owner: StateOwner): Promise<{ count: number; sizeBytes: number }> {
  const row = await entitiesOf(db, owner).first(db.raw('count(*) as count, coalesce(sum(size_bytes), 0) as "sizeBytes"'));
  return { count: Number(row.count), sizeBytes: Number(row.sizeBytes) };
}

/**
 * Returns entities, oldest first, within `limit` and `maxBytes`. The name, type and observations of
 * an entity together must contain every word.
 */
export async function searchEntities(
  db: Db,
  owner: StateOwner,
  { words, limit, maxBytes }: { words: readonly string[]; limit: number; maxBytes: number },
): Promise<{ entities: EntityRow[]; total: number }> {
  const { rows } = await db.raw(
    `select name, type, observations, created_at as "createdAt", updated_at as "updatedAt", total from (
       select *, sum(size_bytes + 3 * cardinality(observations) + 40) over (order by position) as bytes_so_far, count(*) over () as total
         from memory_entities
         cross join lateral (select ${words.length > 0 ? FOLDED : "''"} as folded offset 0) as text
        where org_id = ? and workspace_id = ? and scope = ? and scope_key = ? and ${holdsWordsSql('folded', words)}
     ) as found
     where bytes_so_far <= ? order by position limit ?`,
    [...Object.values(ownerColumns(owner)), ...words, maxBytes, limit],
  );
  const entities = rows.map(({ total: _, ...entity }: EntityRow & { total: number }) => entity);
  return { entities, total: rows[0]?.total ?? 0 };
}

const FOLDED = foldedSql("name || E'\\n' || type || E'\\n' || array_to_string(observations, E'\\n')");

function entitiesOf(db: Db, owner: StateOwner) {
  return db('memory_entities').where(ownerColumns(owner));
}

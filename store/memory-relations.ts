import type { Db } from '../infra/database.ts';
import type { StateOwner } from './kv-entries.ts';
import { ownerColumns } from './state-owner.ts';

export interface RelationRow {
  from: string;
  to: string;
  type: string;
}

/** Inserts missing relations and returns them. Both entities must exist. */
export async function insertRelations(db: Db, owner: StateOwner, relations: readonly RelationRow[]): Promise<RelationRow[]> {
  const rows = relations.map(({ from, to, type }) => ({ ...ownerColumns(owner), from_name: from, to_name: to, type }));
  return db('memory_relations').insert(rows).onConflict().ignore().returning(COLUMNS);
}

/** Deletes relations and returns those that existed. */
export async function deleteRelations(db: Db, owner: StateOwner, relations: readonly RelationRow[]): Promise<RelationRow[]> {
  return relationsOf(db, owner)
    .whereIn(
      ['from_name', 'to_name', 'type'],
      relations.map(({ from, to, type }) => [from, to, type]),
    )
    .delete(COLUMNS);
}

export async function countRelations(db: Db, owner: StateOwner, touching?: readonly string[]): Promise<number> {
  const row = await relationsOf(db, owner, touching).count({ count: '*' }).first();
  return Number(row?.count ?? 0);
}

/**
 * Returns relations, oldest first, within `maxBytes`. With `touching`, returns only relations from
 * or to these entities.
 */
export async function listRelations(
  db: Db,
  owner: StateOwner,
  { touching, maxBytes }: { touching?: readonly string[]; maxBytes: number },
): Promise<{ relations: RelationRow[]; total: number }> {
  const measured = relationsOf(db, owner, touching).select(
    'from_name',
    'to_name',
    'type',
    'position',
    db.raw('sum(octet_length(from_name) + octet_length(to_name) + octet_length(type) + 32) over (order by position) as bytes_so_far'),
    db.raw('count(*) over () as total'),
  );
  const rows = await db
    .from(measured.as('found'))
    .where('bytes_so_far', '<=', maxBytes)
    .orderBy('position')
    .select(...COLUMNS, 'total');
  const relations = rows.map(({ from, to, type }) => ({ from, to, type }));
  return { relations, total: rows[0]?.total ?? 0 };
}

const COLUMNS = ['from_name as from', 'to_name as to', 'type'];

function relationsOf(db: Db, owner: StateOwner, touching?: readonly string[]) {
  const relations = db('memory_relations').where(ownerColumns(owner));
  return touching ? relations.where((either) => either.whereIn('from_name', touching).orWhereIn('to_name', touching)) : relations;
}

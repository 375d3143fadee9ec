import type { ActionCategory } from '../domain/policies/policy.ts';
import type { Db } from '../infra/database.ts';
import { columns, toRow } from './columns.ts';

/** One action of a custom integration, as it was imported. */
export interface CustomAction {
  name: string;
  displayName: string;
  description: string;
  category: ActionCategory;
  source: object;
  categoryFrom: string;
  /** JSON of the action. */
  text: string;
  /** Hashes of the shared schemas that the input and the output of the action use. */
  uses: { input: Readonly<Record<string, string | null>>; output: Readonly<Record<string, string | null>> };
  hash: string;
}

const COLUMNS = columns<CustomAction>('name', 'displayName', 'description', 'category', 'source', 'categoryFrom', 'text', 'uses', 'hash');

/**
 * Limits of one statement, because statements have a time limit. A longer text gets its own
 * statement.
 */
const MAX_ROWS = 100;
const MAX_LENGTH = 1_000_000;

function* statementsOf<Row extends { text: string }>(rows: readonly Row[]): Generator<Row[]> {
  let part: Row[] = [];
  let length = 0;
  for (const row of rows) {
    if (part.length === MAX_ROWS || (part.length > 0 && length + row.text.length > MAX_LENGTH)) {
      yield part;
      [part, length] = [[], 0];
    }
    part.push(row);
    length += row.text.length;
  }
  if (part.length > 0) yield part;
}

/**
 * Returns the actions of an integration: first in the order of the import, then those added later.
 */
export async function listCustomActions(db: Db, integrationId: string): Promise<CustomAction[]> {
  return db('custom_actions').select(COLUMNS).where({ integration_id: integrationId }).orderBy(['position', 'name']);
}

export async function findCustomAction(db: Db, integrationId: string, name: string): Promise<CustomAction | undefined> {
  return db('custom_actions').select(COLUMNS).where({ integration_id: integrationId, name }).first();
}

export async function countCustomActions(db: Db, integrationIds: readonly string[]): Promise<Map<string, number>> {
  const rows: { id: string; total: number }[] = await db('custom_actions')
    .select('integration_id as id')
    .count({ total: '*' })
    .whereIn('integration_id', [...integrationIds])
    .groupBy('integration_id');
  return new Map(rows.map(({ id, total }) => [id, Number(total)]));
}

/**
 * Adds actions at positions from `from` on, by default after the actions of an import. Replaces
 * actions of the same name, which keep their positions.
 */
export async function putCustomActions(db: Db, integrationId: string, actions: readonly CustomAction[], from = 1_000_000): Promise<void> {
  const placed = actions.map((action, index) => ({ ...action, position: from + index }));
  for (const part of statementsOf(placed)) {
    const rows = part.map((action) => ({ integration_id: integrationId, ...toRow(action, ['source', 'uses']) }));
    const merged = ['display_name', 'description', 'category', 'source', 'category_from', 'text', 'uses', 'hash'];
    await db('custom_actions').insert(rows).onConflict(['integration_id', 'name']).merge(merged);
  }
}

export async function deleteCustomAction(db: Db, integrationId: string, name: string): Promise<void> {
  await db('custom_actions').where({ integration_id: integrationId, name }).delete();
}

/** Returns the JSON of all shared schemas, or of the schemas with these hashes, by hash. */
export async function listCustomDefinitions(db: Db, integrationId: string, hashes?: readonly string[]): Promise<Map<string, string>> {
  const rows: { hash: string; text: string }[] = await db('custom_definitions')
    .select('hash', 'text')
    .where({ integration_id: integrationId })
    .modify((query) => hashes && query.whereRaw('hash = any(?)', [[...hashes]]));
  return new Map(rows.map(({ hash, text }) => [hash, text]));
}

/** Adds the shared schemas that are not stored yet. */
export async function putCustomDefinitions(db: Db, integrationId: string, definitions: Readonly<Record<string, string>>): Promise<void> {
  const rows = Object.entries(definitions).map(([hash, text]) => ({ integration_id: integrationId, hash, text }));
  for (const part of statementsOf(rows)) await db('custom_definitions').insert(part).onConflict(['integration_id', 'hash']).ignore();
}

/** Deletes shared schemas that no action and no pending change uses. */
export async function deleteUnusedDefinitions(db: Db, integrationId: string): Promise<void> {
  await db.raw(
    `delete from custom_definitions d where d.integration_id = :id and d.hash not in (
       select u.value from custom_actions a, lateral (
         select value from json_each_text(a.uses -> 'input') union all select value from json_each_text(a.uses -> 'output')) u
       where a.integration_id = :id and u.value is not null
       union
       select u.value from custom_changes c, lateral (
         select value from json_each_text(c.after -> 'uses' -> 'input') union all select value from json_each_text(c.after -> 'uses' -> 'output')) u
       where c.integration_id = :id and c.status = 'pending' and c.action_name is not null and u.value is not null)`,
    { id: integrationId },
  );
}

import type { Knex } from 'knex';

export interface PageRequest {
  limit: number;
  offset: number;
}

export interface Page<Item> {
  items: Item[];
  total: number;
}

/**
 * Returns one page of the matching rows, oldest first, with the exact total. `matching` selects no
 * columns; `read` returns the rows with these ids, oldest first.
 */
export async function pageOf<Item>(
  matching: Knex.QueryBuilder,
  page: PageRequest,
  read: (ids: Knex.QueryBuilder) => PromiseLike<Item[]>,
): Promise<Page<Item>> {
  const onPage = matching.clone().select('id').orderBy(oldestFirst()).limit(page.limit).offset(page.offset);
  const [items, counted] = await Promise.all([read(onPage), matching.clone().count({ total: '*' }).first()]);
  return { items, total: Number(counted?.total ?? 0) };
}

/** The order of the lists that `pageOf` returns: by creation time, then by id. */
export function oldestFirst(table?: string): { column: string }[] {
  const prefix = table === undefined ? '' : `${table}.`;
  return [{ column: `${prefix}created_at` }, { column: `${prefix}id` }];
}

import type { Knex } from 'knex';

export interface PageRequest {
  limit: number;
  offset: number;
}

export interface Page<Item> {
  items: Item[];
  total: number;
}

/** One page of a query, oldest first, with the exact total. */
export async function pageOf<Item>(query: Knex.QueryBuilder, columns: string[], page: PageRequest): Promise<Page<Item>> {
  const [items, counted] = await Promise.all([
    query
      .clone()
      .select(columns)
      .orderBy([{ column: 'created_at' }, { column: 'id' }])
      .limit(page.limit)
      .offset(page.offset),
    query.clone().count({ total: '*' }).first(),
  ]);
  return { items, total: Number(counted?.total ?? 0) };
}

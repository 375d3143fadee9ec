import { I, type OwnBed } from './own-bed.ts';

type Api = Pick<OwnBed, 'api'>;

interface Field {
  path: string;
  before: unknown;
  after: unknown;
}

export interface Change {
  id: string;
  kind: string;
  actionName: string | null;
  fields: Field[];
  fieldCount: number;
  complete: boolean;
  digest: string | null;
}

/** Refreshes an integration with a document. Returns the pending changes. */
export async function refreshWith({ api }: Api, name: string, document: object): Promise<Change[]> {
  return (await api.must(200).post(`${I}/${name}/refresh`, { document })).changes;
}

export function theOnly<Item>(items: readonly Item[]): Item {
  expect(items).toHaveLength(1);
  return items[0]!;
}

/** Returns all fields of a change, and its digest. */
export async function readInFull({ api }: Api, name: string, id: string): Promise<{ fields: Field[]; digest: string | null }> {
  const fields: Field[] = [];
  for (;;) {
    const page = await api.must(200).get(`${I}/${name}/changes/${id}?limit=100&offset=${fields.length}`);
    fields.push(...page.fields);
    if (fields.length >= page.total || page.fields.length === 0) {
      expect(fields).toHaveLength(page.total);
      return { fields, digest: page.digest };
    }
  }
}

/** Accepts a change. */
export async function decideIt({ api }: Api, name: string, id: string, body: object) {
  return api.must(200).post(`${I}/${name}/changes/${id}/accept`, body);
}

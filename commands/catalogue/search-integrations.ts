import { type TextIndex, textIndex } from '../../domain/search/text-index.ts';
import type { Catalog, CatalogIntegration } from '../../integrations/catalog.ts';
import type { Gateway } from '../gateway.ts';
import { type ListedOwnIntegration, listOwnIntegrations } from '../integrations/get-own-integration.ts';

export interface FoundIntegration {
  entry: CatalogIntegration;
  actionCount: number;
  /** Undefined for an integration of the service. */
  own: ListedOwnIntegration | undefined;
}

/** An empty `query` finds all integrations. */
export interface IntegrationQuery {
  orgId: string;
  query: string;
  category?: string | undefined;
}

/**
 * The matching integrations that an organization can use: first its custom integrations, then those
 * of the service. The actions of custom integrations are not searched.
 */
export async function searchIntegrations(gateway: Gateway, { orgId, query, category }: IntegrationQuery): Promise<FoundIntegration[]> {
  const { builtIn } = gateway.catalog;
  const [hidden, own] = await Promise.all([gateway.catalog.hiddenFor(orgId), listOwnIntegrations(gateway, orgId)]);
  const isOf = ({ categories }: CatalogIntegration) => category === undefined || (categories as readonly string[]).includes(category);
  const items = own.map((one): FoundIntegration => ({ entry: one.entry, actionCount: one.actionCount, own: one }));
  const ownFound = matching({ items, makeIndex: () => textIndex(own, OWN_FIELDS) }, query);
  const found = matching(searchableOf(builtIn), query).filter(({ entry }) => !hidden.has(entry.name));
  return [...ownFound, ...found].filter(({ entry }) => isOf(entry));
}

interface Searchable {
  items: readonly FoundIntegration[];
  makeIndex(): TextIndex;
  /** Built at the first query. */
  index?: TextIndex;
}

function matching(searchable: Searchable, query: string): readonly FoundIntegration[] {
  const { items } = searchable;
  if (query === '') return items;
  searchable.index ??= searchable.makeIndex();
  return [...searchable.index.search(query, items.length).ids].map((id) => items[id]!);
}

/** The service's catalogue never changes at run time. */
const searchables = new WeakMap<Catalog, Searchable>();

function searchableOf(catalog: Catalog): Searchable {
  const known = searchables.get(catalog);
  if (known) return known;
  const entries = catalog.list().toSorted((a, b) => a.displayName.localeCompare(b.displayName, 'en'));
  const items = entries.map((entry) => ({ entry, actionCount: entry.actions.size, own: undefined }));
  const made: Searchable = { items, makeIndex: () => textIndex(entries, FIELDS) };
  searchables.set(catalog, made);
  return made;
}

const IDENTITY = [
  { weight: 6, usualWords: 3, textOf: ({ name, displayName }: CatalogIntegration) => `${name} ${displayName}` },
  {
    ...{ weight: 1.5, usualWords: 12 },
    textOf: ({ description, categories }: CatalogIntegration) =>
      `${description} ${categories.join(' ').replaceAll('_', ' ').toLowerCase()}`,
  },
];

const FIELDS = [
  ...IDENTITY,
  {
    ...{ weight: 0.5, usualWords: 60 },
    textOf: ({ actions }: CatalogIntegration) => [...actions.values()].map(({ name, displayName }) => `${name} ${displayName}`).join(' '),
  },
];

const OWN_FIELDS = IDENTITY.map(({ textOf, ...field }) => ({ ...field, textOf: ({ entry }: ListedOwnIntegration) => textOf(entry) }));

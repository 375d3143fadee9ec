import { type FoundIntegration, searchIntegrations } from '../../../../commands/catalogue/search-integrations.ts';
import { hasRole } from '../../../../domain/member.ts';
import { type Cell, type Filter, listView, nextPageOf, pageOf, readFilter } from '../list.ts';
import type { Screen } from '../screen.ts';
import { accountOf, CATEGORY_NAMES, INTEGRATIONS, markOf } from './integration-words.ts';

const QUERY: Filter = { label: 'Search integrations', key: 'q' };
const CATEGORY: Filter = {
  label: 'Category',
  options: [{ value: '', label: 'Any' }, ...Object.entries(CATEGORY_NAMES).map(([value, label]) => ({ value, label }))],
};
const QUERY_MAX_LENGTH = 500;

/** `/app/integrations`: the built-in integrations and those that the organization imported. */
export const catalogueScreen: Screen = {
  ...{ path: INTEGRATIONS, role: 'viewer', navigation: 'Integrations' },
  get: async (visit) => {
    const { gateway, member } = visit;
    const page = pageOf(visit.query);
    const query = readFilter(visit.query, QUERY).slice(0, QUERY_MAX_LENGTH);
    const found = await searchIntegrations(gateway, {
      orgId: member.orgId,
      query,
      category: readFilter(visit.query, CATEGORY) || undefined,
    });
    const list = listView(visit, {
      ...{ name: 'Integrations', plural: 'integrations', about: 'Agents call the actions of integrations.' },
      columns: ['Name', 'Category', 'Actions', 'Account', 'Source'],
      filters: [QUERY, CATEGORY],
      rows: found.slice(page.offset, page.offset + page.limit).map(rowOf),
      create: hasRole(member.role, 'admin') ? { href: `${INTEGRATIONS}/import`, label: 'Import an integration' } : undefined,
      nextPage: nextPageOf(page, found.length),
    });
    return { title: 'Integrations', template: 'layout/list-page', data: { title: 'Integrations', list } };
  },
};

function rowOf({ entry, actionCount, own }: FoundIntegration): Cell[] {
  const { name, displayName, description, categories } = entry;
  return [
    { href: `${INTEGRATIONS}/${name}`, text: displayName, hint: description, mark: markOf(entry) },
    categories.map((category) => CATEGORY_NAMES[category]).join(', '),
    actionCount.toLocaleString('en'),
    accountOf(entry),
    sourceOf(own),
  ];
}

function sourceOf(own: FoundIntegration['own']): Cell {
  if (!own) return 'Built in';
  if (own.record.status === 'ERROR') return { state: 'Yours, not read', tone: 'bad' };
  const { pendingChanges } = own;
  if (pendingChanges > 0) return { state: `Yours, ${pendingChanges} change${pendingChanges === 1 ? ' waits' : 's wait'}`, tone: 'waiting' };
  return 'Yours';
}

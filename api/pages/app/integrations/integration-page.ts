import { hasRole } from '../../../../domain/member.ts';
import type { CatalogAction, CatalogIntegration } from '../../../../integrations/catalog.ts';
import { describeProps } from '../../../../integrations/describe-props.ts';
import { listInstancesOfIntegration } from '../../../../store/workspace-integrations.ts';
import type { FormSpec } from '../form.ts';
import { type Filter, listView, nextPageOf, pageOf, readFilter } from '../list.ts';
import type { Visit } from '../screen.ts';
import { namesOfWorkspaces, workspaceNames } from '../workspace-names.ts';
import { addPath, addSpec } from './add-form.ts';
import {
  ACCOUNT_NAMES,
  CATEGORY_NAMES,
  describeVerification,
  INPUT_NAMES,
  INTEGRATIONS,
  markOf,
  STRATEGY_NAMES,
} from './integration-words.ts';
import { ownView } from './own-view.ts';

const FIND: Filter = { label: 'Find an action', key: 'action' };
/** Fewer than in other lists: each action shows its inputs. */
const ACTIONS_A_PAGE = 25;
const INSTANCES = 20;

/** The integration in the path. Throws INTEGRATION_NOT_FOUND. */
export function getIntegration({ gateway, member, params }: Visit): Promise<CatalogIntegration> {
  return gateway.catalog.get(member.orgId, params.name!);
}

/** The page of an integration. */
export async function integrationSpec(visit: Visit, entry: CatalogIntegration): Promise<FormSpec> {
  const mayManage = hasRole(visit.member.role, 'admin');
  const workspaces = await workspaceNames(visit);
  const [form, uses, own] = await Promise.all([
    addSpec(visit, entry, workspaces),
    usesOf(visit, entry),
    entry.customId === undefined ? undefined : ownView(visit, entry),
  ]);
  return {
    ...{ title: entry.displayName, template: 'integrations/integration', ...form },
    data: {
      ...{ entry, mayManage, uses, own, mark: markOf(entry), base: `${INTEGRATIONS}/${entry.name}`, addPath: addPath(entry.name) },
      facts: factsOf(entry),
      methods: (entry.auth ?? []).map(({ displayName, description, type }) => ({ displayName, description, type: ACCOUNT_NAMES[type] })),
      verification: describeVerification(entry),
      sources: entry.verification?.sources ?? [],
      actions: actionsView(visit, entry),
    },
  };
}

function factsOf({ name, categories, actions }: CatalogIntegration) {
  return [
    { name: 'Name', text: name },
    { name: 'Category', text: categories.map((category) => CATEGORY_NAMES[category]).join(', ') },
    { name: 'Actions', text: actions.size.toLocaleString('en') },
  ];
}

function actionsView(visit: Visit, entry: CatalogIntegration) {
  const wanted = readFilter(visit.query, FIND).toLowerCase();
  const all = [...entry.actions.values()].filter(({ name, displayName }) => `${name} ${displayName}`.toLowerCase().includes(wanted));
  const page = { limit: ACTIONS_A_PAGE, offset: (pageOf(visit.query).offset / pageOf(visit.query).limit) * ACTIONS_A_PAGE };
  const list = listView(visit, {
    ...{ name: 'Actions', plural: 'actions', about: '', columns: [], rows: [], filters: [FIND] },
    nextPage: nextPageOf(page, all.length),
  });
  return { ...list, shown: all.slice(page.offset, page.offset + page.limit).map(describe), total: all.length };
}

function describe(action: CatalogAction) {
  const { name, displayName, description, category, inputSchema, dynamic, own } = action;
  const inputs = Object.entries(describeProps(inputSchema, dynamic)).map(([key, prop]) => ({
    ...{ key, description: prop.description, isRequired: prop.required },
    type: INPUT_NAMES[prop.type],
    choices: prop.options?.options.map(({ label }) => label).slice(0, 30) ?? [],
  }));
  return { name, displayName, description, category, inputs, source: own?.source, isOff: own?.isEnabled === false };
}

async function usesOf(visit: Visit, { name }: CatalogIntegration) {
  const { gateway, member, workspaceId } = visit;
  const all = await listInstancesOfIntegration(gateway.db, member.orgId, name);
  const here = all.filter((one) => workspaceId === undefined || one.workspaceId === workspaceId);
  const shown = here.slice(0, INSTANCES);
  const places = shown.map((one) => one.workspaceId);
  const workspaces = await namesOfWorkspaces(visit, places);
  const list = listView(
    { ...visit, query: new URLSearchParams() },
    {
      ...{ name: 'Where it is used', plural: 'workspaces', about: '' },
      columns: ['Workspace', 'Alias', 'Connection strategy'],
      rows: shown.map((one) => [
        { href: `/workspaces/${one.workspaceId}`, text: workspaces.get(one.workspaceId) ?? 'Another workspace' },
        { href: `/workspaces/${one.workspaceId}/integrations/${one.alias}`, text: one.alias },
        STRATEGY_NAMES[one.connectionStrategy],
      ]),
    },
  );
  return { list, total: here.length };
}

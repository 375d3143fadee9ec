import { ALIAS, NAME_MAX_LENGTH } from '../../../../domain/limits.ts';
import { hasRole } from '../../../../domain/member.ts';
import { CONNECTION_STRATEGIES } from '../../../../domain/policies/policy.ts';
import type { Workspace } from '../../../../domain/workspace.ts';
import { enablesAction, keepsState, type WorkspaceIntegration } from '../../../../domain/workspace-integration.ts';
import type { CatalogIntegration } from '../../../../integrations/catalog.ts';
import { type ListedConnection, pageConnections } from '../../../../store/connections.ts';
import { countDependents } from '../../../../store/dependents.ts';
import { listPartials } from '../../../../store/partials.ts';
import { CONNECTIONS } from '../connections/connection-cells.ts';
import { amount } from '../consequences.ts';
import type { Field } from '../form.ts';
import { STRATEGY_NAMES } from '../integrations/integration-words.ts';
import { type Cell, partView } from '../list.ts';
import type { RecordSpec } from '../record-page.ts';
import type { Visit } from '../screen.ts';
import { WORKSPACES } from './workspace-of.ts';

const SHOWN = { limit: 200, offset: 0 };

/** Path of the page of an instance (an integration in a workspace), below /app. */
export function pathOfInstance({ workspaceId, alias }: Pick<WorkspaceIntegration, 'workspaceId' | 'alias'>): string {
  return `${WORKSPACES}/${workspaceId}/integrations/${alias}`;
}

/**
 * The display name of an instance, else the name of its integration, or the alias if the
 * integration was deleted.
 */
export async function nameOfInstance({ gateway }: Visit, instance: WorkspaceIntegration): Promise<string> {
  const { orgId, integrationName, displayName, alias } = instance;
  return displayName ?? (await gateway.catalog.find(orgId, integrationName))?.displayName ?? alias;
}

/** The page of an integration in a workspace, and its form. */
export async function describeInstance(
  visit: Visit,
  workspace: Workspace,
  instance: WorkspaceIntegration,
): Promise<{ record: Omit<RecordSpec, 'form'>; form: NonNullable<RecordSpec['form']> }> {
  const { gateway, member } = visit;
  const { id, orgId, workspaceId, integrationName, alias, displayName, connectionStrategy, connectionId } = instance;
  const usable = { orgId, workspaceIds: [workspaceId], integrationName, scopes: ['ORGANIZATION', 'WORKSPACE'] as const };
  const [integration, counts, partials, accounts] = await Promise.all([
    gateway.catalog.find(orgId, integrationName),
    countDependents(gateway.db, orgId, { kind: 'workspaceIntegration', id, names: [] }),
    listPartials(gateway.db, { orgId, workspaceIds: [workspaceId], integrationName }, SHOWN),
    pageConnections(gateway.db, usable, SHOWN),
  ]);
  const account = accounts.items.find((connection) => connection.id === connectionId);
  const path = pathOfInstance(instance);
  const mayManage = hasRole(member.role, 'admin');
  const record: Omit<RecordSpec, 'form'> = {
    title: displayName ?? integration?.displayName ?? alias,
    trouble: integration ? troubleOf(integration, instance) : 'This integration was deleted. Its tools can’t be called.',
    facts: [
      { name: 'Workspace', cell: { href: `${WORKSPACES}/${workspace.id}`, text: workspace.name } },
      {
        name: 'Integration',
        cell: integration ? { href: `/integrations/${integrationName}`, text: integration.displayName } : integrationName,
      },
      { name: 'Alias', cell: alias },
      { name: 'Accounts', cell: integration && integration.auth === null ? 'None needed' : STRATEGY_NAMES[connectionStrategy] },
      ...(account ? [{ name: 'Account for everybody', cell: { href: `${CONNECTIONS}/${account.id}`, text: account.displayName } }] : []),
      { name: 'Last 7 days', cell: amount(counts.uses, 'call') || 'No calls' },
    ],
    parts: [
      {
        name: 'Actions',
        list: partView(visit, {
          ...{ name: 'Actions', plural: 'actions', about: 'The integration has no actions.' },
          columns: ['Action', 'Kind', 'Status'],
          rows: [...(integration?.actions.values() ?? [])].map((action) => [
            { text: action.displayName, hint: action.name },
            action.category,
            enablesAction(instance, action.name) ? { state: 'Allowed', tone: 'good' } : { state: 'Turned off', tone: 'quiet' },
          ]),
        }),
      },
      {
        name: 'Presets',
        about: 'Inputs that are filled in before a call. You create and change presets through the API, where they are called partials.',
        list: partView(visit, {
          ...{ name: 'Presets', plural: 'presets', about: 'A preset fills in inputs, and can hide them from agents.' },
          columns: ['Name', 'Action', 'Fills in', 'Agents may change'],
          rows: partials.items
            .filter(({ workspaceIntegrationId }) => workspaceIntegrationId === null || workspaceIntegrationId === id)
            .map(({ name, description, actionName, values, enforcedKeys }): Cell[] => {
              const keys = Object.keys(values);
              const free = keys.filter((key) => !enforcedKeys.includes(key));
              return [
                description ? { text: name, hint: description } : name,
                actionName ?? 'All',
                keys.join(', ') || 'Nothing',
                free.length === keys.length ? 'All of it' : free.join(', ') || 'Nothing',
              ];
            }),
        }),
      },
    ],
    ending: mayManage ? { label: 'Remove', href: `${path}/remove` } : undefined,
  };
  return { record, form: { heading: 'Settings', action: `${path}/settings`, spec: formOf(instance, integration, accounts.items) } };
}

/** The scope `external` is set through the API. The form offers it if it is already set. */
function stateField({ settings: { persistence } }: WorkspaceIntegration): Field {
  const scope = persistence?.scope ?? 'end_user';
  return {
    ...{ name: 'state', label: 'Keeps what is stored', kind: 'select', value: scope },
    options: [
      { value: 'end_user', label: 'For each person' },
      { value: 'workspace', label: 'For the workspace' },
      ...(scope === 'external' ? [{ value: scope, label: `For "${persistence?.externalId}"` }] : []),
    ],
    hint: '"For each person" needs calls that name a person. Use a server for one person, or a token of the person.',
  };
}

function troubleOf(
  { auth }: CatalogIntegration,
  { connectionStrategy, connectionId, enabledActions }: WorkspaceIntegration,
): string | undefined {
  if (enabledActions?.length === 0) return 'This integration is turned off: agents see none of its tools.';
  if (auth === null || connectionStrategy === 'per_user' || connectionId !== null) return undefined;
  return 'This integration has no account for everybody. Choose an account below, or calls fail.';
}

function formOf(instance: WorkspaceIntegration, integration: CatalogIntegration | undefined, accounts: readonly ListedConnection[]) {
  const { enabledActions } = instance;
  const allowed = enabledActions === null ? 'all' : enabledActions.length === 0 ? 'none' : 'some';
  const actions = [...(integration?.actions.values() ?? [])];
  const fields: Field[] = [
    {
      name: 'alias',
      label: 'Alias',
      kind: 'text',
      maxLength: ALIAS.maxLength,
      value: instance.alias,
      hint: 'Tool names begin with the alias.',
    },
    {
      name: 'displayName',
      label: 'Display name',
      kind: 'text',
      isOptional: true,
      maxLength: NAME_MAX_LENGTH,
      value: instance.displayName ?? '',
    },
    {
      ...{ name: 'connectionStrategy', label: 'Connection strategy', kind: 'select', value: instance.connectionStrategy },
      options: CONNECTION_STRATEGIES.map((value) => ({ value, label: STRATEGY_NAMES[value] })),
    },
    {
      ...{ name: 'connectionId', label: 'Connection', kind: 'select', value: instance.connectionId ?? '', isOptional: true },
      options: [{ value: '', label: 'None' }, ...accounts.map(({ id, displayName }) => ({ value: id, label: displayName }))],
      hint: 'The account for everybody.',
    },
    ...(keepsState(instance.integrationName) ? [stateField(instance)] : []),
    {
      ...{ name: 'allowed', label: 'Allowed actions', kind: 'radios', value: allowed },
      options: [
        { value: 'all', label: 'All, including future actions' },
        { value: 'some', label: 'Those chosen below' },
        { value: 'none', label: 'None: turn it off' },
      ],
    },
    {
      ...{ name: 'enabledActions', label: 'Actions', kind: 'checks', value: enabledActions ?? [] },
      options: actions.map(({ name: value, displayName: label }) => ({ value, label })),
    },
  ];
  return {
    fields,
    button: 'Save',
    blames: {
      CONNECTION_NOT_FOUND: { field: 'connectionId', problem: 'is not an account of this workspace' },
      DUPLICATE: { field: 'alias', problem: 'is the alias of another integration of this workspace' },
      ALIAS_CONFLICT: { field: 'alias', problem: 'is used by tools of a server in this workspace' },
    },
  };
}

import { z } from 'zod';
import { NAME_MAX_LENGTH } from '../../../../domain/limits.ts';
import { CONNECTION_STRATEGIES } from '../../../../domain/policies/policy.ts';
import type { CatalogIntegration } from '../../../../integrations/catalog.ts';
import { pageConnections } from '../../../../store/connections.ts';
import { alias, uuid } from '../../../schemas.ts';
import type { Field, FormSpec } from '../form.ts';
import type { Visit } from '../screen.ts';
import { namesOfWorkspaces } from '../workspace-names.ts';
import { INTEGRATIONS, STRATEGY_NAMES } from './integration-words.ts';

const MAX_CONNECTIONS = 200;

/** The schema of "Add to a workspace". */
export const addForm = z.strictObject({
  workspaceId: uuid,
  alias: alias.optional(),
  connectionStrategy: z.enum(CONNECTION_STRATEGIES),
  connectionId: uuid.optional(),
});

/** The form "Add to a workspace". */
export async function addSpec(
  visit: Visit,
  { name, auth }: Pick<CatalogIntegration, 'name' | 'auth'>,
  workspaces: ReadonlyMap<string, string>,
): Promise<Pick<FormSpec, 'fields' | 'button' | 'blames'>> {
  const account = auth === null ? NO_ACCOUNT : await connectionField(visit, name);
  const options = [...workspaces].map(([value, label]) => ({ value, label }));
  return {
    fields: [
      { name: 'workspaceId', label: 'Workspace', kind: 'select', options, value: visit.workspaceId ?? '' },
      {
        ...{ name: 'alias', label: 'Alias', kind: 'text', isOptional: true, maxLength: NAME_MAX_LENGTH, value: name },
        hint: 'Tool names begin with the alias. To add the integration twice, give it two aliases.',
      },
      {
        ...{ name: 'connectionStrategy', label: 'Connection strategy', kind: 'select', value: 'fixed' },
        options: CONNECTION_STRATEGIES.map((value) => ({ value, label: STRATEGY_NAMES[value] })),
        hint: auth === null ? 'The integration needs no account, so this has no effect.' : 'The kind of account that calls use.',
      },
      account,
    ],
    button: 'Add integration',
    blames: {
      NOT_FOUND: { field: 'workspaceId', problem: 'is not one of your workspaces' },
      CONNECTION_NOT_FOUND: { field: 'connectionId', problem: 'is not an account of that workspace' },
      DUPLICATE: { field: 'alias', problem: 'is the alias of another integration of that workspace' },
      ALIAS_CONFLICT: { field: 'alias', problem: 'is used by tools of a server in that workspace' },
    },
  };
}

const NO_ACCOUNT: Field = {
  ...{ name: 'connectionId', label: 'Connection', kind: 'select', value: '' },
  ...{ options: [{ value: '', label: 'None needed' }], isOptional: true },
};

async function connectionField(visit: Visit, integrationName: string): Promise<Field> {
  const { gateway, member, workspaceId } = visit;
  const filter = { orgId: member.orgId, integrationName, scopes: ['ORGANIZATION', 'WORKSPACE'] as const };
  const within = { ...filter, ...(workspaceId !== undefined && { workspaceIds: [workspaceId] }) };
  const { items, total } = await pageConnections(gateway.db, within, { limit: MAX_CONNECTIONS, offset: 0 });
  const places = items.map((one) => one.workspaceId);
  const workspaces = await namesOfWorkspaces(visit, places);
  const options = items.map(({ id, displayName, workspaceId: place }) => ({
    value: id,
    label: `${displayName} (${place === null ? 'every workspace' : (workspaces.get(place) ?? 'another workspace')})`,
  }));
  const more = total > items.length ? ' Select a workspace above to see the others.' : '';
  return {
    ...{ name: 'connectionId', label: 'Connection', kind: 'select', value: '' },
    options: [{ value: '', label: 'None' }, ...options],
    hint: `The account for everybody.${more}`,
  };
}

/** The path that the form is sent to, below /app. */
export function addPath(name: string): string {
  return `${INTEGRATIONS}/${name}/add`;
}

import { hidePresets } from '../../commands/surfaces/hide-presets.ts';
import { type Surface, surfaceOf } from '../../commands/surfaces/surface-cache.ts';
import type { Catalog } from '../../integrations/catalog.ts';

export interface OfferedAlias {
  alias: string;
  integrationName: string;
  /** If absent, the alias offers all actions of the integration. */
  actions?: readonly string[];
  /** Preset values by field. They apply to every action of the alias whose input has the field. */
  preset?: Readonly<Record<string, unknown>>;
}

/**
 * Builds the surface of a server with these aliases, without a database. By default, the server
 * offers every integration of the catalogue under its own name.
 */
export function aSurface(catalog: Catalog, offered: readonly OfferedAlias[] = everyIntegration(catalog)): Surface {
  const tools = offered.flatMap(({ alias, integrationName, actions, preset = {} }) =>
    [...catalog.get(integrationName).actions.values()]
      .filter(({ name }) => !actions || actions.includes(name))
      .map((action) => ({
        ...{ alias, integrationName, action, actionName: action.name, name: `${alias}__${action.name}`, instance: null, lostPartials: [] },
        tool: { ...TOOL, integrationName, integrationAlias: alias, actionName: action.name },
        presets: { defaults: preset, enforced: {} },
        ...hidePresets(action.inputSchema, Object.keys(preset)),
      })),
  );
  return surfaceOf(tools, catalog);
}

function everyIntegration(catalog: Catalog): OfferedAlias[] {
  return catalog.list().map(({ name }) => ({ alias: name, integrationName: name }));
}

const TOOL = {
  ...{ id: 'tool', orgId: 'org', workspaceId: 'workspace', serverId: 'server', connectionId: null, displayName: null, description: null },
  ...{ inputDefaults: null, partialIds: [], sortOrder: 0, sourceWorkspaceIntegrationId: null },
  ...{ createdAt: new Date(0), updatedAt: new Date(0) },
};

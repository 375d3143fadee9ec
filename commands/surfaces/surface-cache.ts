import { defaultPartials, fitsTarget, type InputPartial, type PartialTarget, type Presets, presetsOf } from '../../domain/input-partial.ts';
import type { McpTool } from '../../domain/mcp-server.ts';
import { enablesAction, type WorkspaceIntegration } from '../../domain/workspace-integration.ts';
import { VersionedCache } from '../../infra/concurrency/versioned-cache.ts';
import type { Db } from '../../infra/database.ts';
import type { Catalog, CatalogAction, JsonSchema } from '../../integrations/catalog.ts';
import { listMcpTools } from '../../store/mcp-tools.ts';
import { readSurfaceVersion } from '../../store/workspaces.ts';
import { hashJson } from '../calls/hash-call.ts';
import type { OrgCatalog } from '../integrations/org-catalog.ts';
import { findPartial } from './choose-partials.ts';
import { hidePresets } from './hide-presets.ts';
import type { SetupCache, WorkspaceSetup } from './setup-cache.ts';
import { toolNames } from './tool-names.ts';

/** An action that an MCP server offers under an alias. */
export interface SurfaceTool {
  alias: string;
  integrationName: string;
  actionName: string;
  action: CatalogAction;
  tool: McpTool;
  /** Null if the workspace has no integration for this tool. */
  instance: WorkspaceIntegration | null;
  /** The name of the tool over MCP. */
  name: string;
  /** The inputs that a caller may send: the action's schema without the preset keys. */
  inputSchema: JsonSchema;
  presets: Presets;
  /** Preset keys of the action's input. */
  hiddenKeys: readonly string[];
  /** Named partials that do not exist or do not fit. If there are any, the tool refuses calls. */
  lostPartials: readonly string[];
}

/** Action names by alias. */
export type ActionsByAlias = Record<string, readonly string[]>;

/** Everything that an MCP server offers. */
export interface Surface {
  /** Ordered by sortOrder, then by alias and action. */
  tools: readonly SurfaceTool[];
  byName: ReadonlyMap<string, SurfaceTool>;
  /** The built-in integrations, and the custom integrations of the tools. */
  catalog: Catalog;
  /** The actions that code may call. */
  actions: ActionsByAlias;
  find(alias: string, actionName: string): SurfaceTool | undefined;
  /**
   * SHA-256 over everything on which a plan depends (contract decisions 4, Surface), for the
   * actions in `subset` or all actions.
   */
  hashOf(subset?: ActionsByAlias): string;
}

/** Caches the surface of each MCP server. Every process sees a change in its next request. */
export interface SurfaceCache {
  of(scope: SurfaceScope): Promise<Surface>;
}

interface SurfaceScope {
  serverId: string;
  orgId: string;
  workspaceId: string;
  /** The version that authentication read. If undefined, it is read now. */
  surfaceVersion?: number | undefined;
}

const MAX_SERVERS = 500;

/** Opens the cache of one process. */
export function openSurfaceCache(db: Db, catalog: OrgCatalog, setups: SetupCache): SurfaceCache {
  const cache = new VersionedCache<Surface>({ max: MAX_SERVERS });
  return {
    async of(scope) {
      const surfaceVersion = scope.surfaceVersion ?? (await readSurfaceVersion(db, scope.workspaceId));
      return cache.get(scope.serverId, surfaceVersion, () => loadSurface(db, catalog, setups, { ...scope, surfaceVersion }));
    },
  };
}

async function loadSurface(db: Db, orgCatalog: OrgCatalog, setups: SetupCache, scope: SurfaceScope): Promise<Surface> {
  const [records, setup] = await Promise.all([listMcpTools(db, scope.serverId), setups.of(scope)]);
  const catalog = await orgCatalog.of(
    scope.orgId,
    records.map(({ integrationName }) => integrationName),
  );
  const offered = records.flatMap((tool) => offer(catalog, tool, setup));
  const names = toolNames(offered);
  return surfaceOf(
    offered.map((tool, index) => ({ ...tool, name: names[index]! })),
    catalog,
  );
}

function instanceOf(tool: McpTool, instances: readonly WorkspaceIntegration[]): WorkspaceIntegration | null {
  const source = tool.sourceWorkspaceIntegrationId;
  const found = source
    ? instances.find(({ id }) => id === source)
    : instances.find(({ alias, integrationName }) => alias === tool.integrationAlias && integrationName === tool.integrationName);
  return found ?? null;
}

function offer(catalog: Catalog, tool: McpTool, { instances, partials }: WorkspaceSetup): Omit<SurfaceTool, 'name'>[] {
  const instance = instanceOf(tool, instances);
  const action = catalog.find(tool.integrationName)?.actions.get(tool.actionName);
  if (!action || action.own?.isEnabled === false || (instance && !enablesAction(instance, action.name))) return [];
  const { integrationAlias: alias, integrationName, actionName } = tool;
  const target = { integrationName, actionName, workspaceIntegrationId: instance?.id ?? null };
  const { chosen, lost } = partialsOf(tool, partials, target);
  const presets = presetsOf(chosen, tool.inputDefaults);
  const hidden = hidePresets(action.inputSchema, [...Object.keys(presets.defaults), ...Object.keys(presets.enforced)]);
  return [{ alias, integrationName, actionName, action, tool, instance, presets, lostPartials: lost, ...hidden }];
}

/** The partials that the tool names, or else the defaults of its action (specification 2.3). */
function partialsOf({ partialIds }: McpTool, partials: readonly InputPartial[], target: PartialTarget) {
  if (partialIds.length === 0) return { chosen: defaultPartials(partials, target), lost: [] };
  const found = partialIds.map((idOrName) => ({ idOrName, partial: findPartial(partials, target, idOrName) }));
  const fits = ({ partial }: { partial: InputPartial | undefined }) => partial !== undefined && fitsTarget(partial, target);
  return {
    chosen: found.filter(fits).map(({ partial }) => partial!),
    lost: found.filter((one) => !fits(one)).map(({ idOrName }) => idOrName),
  };
}

function fingerprintOf(found: SurfaceTool | undefined) {
  if (!found) return null;
  const { action, inputSchema, presets, tool, instance } = found;
  const { id, connectionStrategy, connectionId, settings } = instance ?? {};
  const place = instance && { id, connectionStrategy, connectionId, settings };
  const definition = action.own && { definition: action.own.definitionHash };
  return { inputSchema, presets, toolConnectionId: tool.connectionId, instance: place, ...definition };
}

/** Builds the surface of these tools. */
export function surfaceOf(tools: readonly SurfaceTool[], catalog: Catalog): Surface {
  const byAlias = new Map<string, Map<string, SurfaceTool>>();
  for (const tool of tools) {
    const actions = byAlias.get(tool.alias) ?? new Map<string, SurfaceTool>();
    byAlias.set(tool.alias, actions.set(tool.actionName, tool));
  }
  const actions = Object.fromEntries([...byAlias].map(([alias, found]) => [alias, [...found.keys()]]));
  const find = (alias: string, actionName: string) => byAlias.get(alias)?.get(actionName);
  const hash = (subset: ActionsByAlias) =>
    hashJson(
      Object.entries(subset)
        .flatMap(([alias, names]) => names.map((name) => [alias, name, fingerprintOf(find(alias, name))] as const))
        .sort(([aliasA, nameA], [aliasB, nameB]) => compare(aliasA, aliasB) || compare(nameA, nameB)),
    );
  let whole: string | undefined;
  return {
    tools,
    byName: new Map(tools.map((tool) => [tool.name, tool])),
    actions,
    catalog,
    find,
    hashOf(subset) {
      if (subset) return hash(subset);
      whole ??= hash(actions);
      return whole;
    },
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

import { LRUCache } from 'lru-cache';
import { defaultPartials, fitsTarget, type InputPartial, type PartialTarget, type Presets, presetsOf } from '../domain/input-partial.ts';
import type { McpTool } from '../domain/mcp-server.ts';
import { enablesAction, type WorkspaceIntegration } from '../domain/workspace-integration.ts';
import type { Db } from '../infra/database.ts';
import type { Catalog, CatalogAction, JsonSchema } from '../integrations/catalog.ts';
import { listMcpTools } from '../store/mcp-tools.ts';
import { readSurfaceVersion } from '../store/workspaces.ts';
import { findPartial } from './choose-partials.ts';
import { hashJson } from './hash-call.ts';
import { hidePresets } from './hide-presets.ts';
import type { SetupCache, WorkspaceSetup } from './setup-cache.ts';
import { toolNames } from './tool-names.ts';

/** One action that a server offers, under one alias. */
export interface SurfaceTool {
  alias: string;
  integrationName: string;
  actionName: string;
  action: CatalogAction;
  tool: McpTool;
  /** Null where the workspace has not configured the integration. */
  instance: WorkspaceIntegration | null;
  /** The tool's name over MCP. */
  name: string;
  /** What a caller may send: the action's schema without what the tool presets. */
  inputSchema: JsonSchema;
  /** What the tool and its partials preset. */
  presets: Presets;
  /** Keys of the action's input that are preset. */
  hiddenKeys: readonly string[];
  /** Partials that the tool names and that are not there or do not fit: it can't be called until that is mended. */
  lostPartials: readonly string[];
}

/** Alias → actions, by name. */
export type ActionsByAlias = Record<string, readonly string[]>;

/** All that an MCP server offers. */
export interface Surface {
  /** By sortOrder, then alias and action. */
  tools: readonly SurfaceTool[];
  byName: ReadonlyMap<string, SurfaceTool>;
  /** What code may call. */
  actions: ActionsByAlias;
  find(alias: string, actionName: string): SurfaceTool | undefined;
  /** SHA-256 over aliases, actions, their input schemas, presets and ways to choose an account: of those named, or of everything (decisions section 4, Surface). */
  hashOf(subset?: ActionsByAlias): string;
}

/** Surfaces by server, kept in memory while the version of the workspace stands, so that another process's change shows in the very next request here. */
export interface SurfaceCache {
  of(scope: SurfaceScope): Promise<Surface>;
}

export interface SurfaceScope {
  serverId: string;
  orgId: string;
  workspaceId: string;
  /** As authentication found it; undefined: look it up. */
  surfaceVersion?: number | undefined;
}

const MAX_SERVERS = 500;

export function openSurfaceCache(db: Db, catalog: Catalog, setups: SetupCache): SurfaceCache {
  const kept = new LRUCache<string, { version: number; surface: Promise<Surface> }>({ max: MAX_SERVERS });
  return {
    async of(scope) {
      const version = scope.surfaceVersion ?? (await readSurfaceVersion(db, scope.workspaceId));
      const known = kept.get(scope.serverId);
      if (known && known.version >= version) return known.surface;
      const entry = { version, surface: loadSurface(db, catalog, setups, { ...scope, surfaceVersion: version }) };
      kept.set(scope.serverId, entry);
      entry.surface.catch(() => {
        if (kept.peek(scope.serverId) === entry) kept.delete(scope.serverId);
      });
      return entry.surface;
    },
  };
}

async function loadSurface(db: Db, catalog: Catalog, setups: SetupCache, scope: SurfaceScope): Promise<Surface> {
  const [records, setup] = await Promise.all([listMcpTools(db, scope.serverId), setups.of(scope)]);
  const offered = records.flatMap((tool) => offer(catalog, tool, setup));
  const names = toolNames(offered);
  return surfaceOf(offered.map((tool, index) => ({ ...tool, name: names[index]! })));
}

function instanceOf(tool: McpTool, instances: readonly WorkspaceIntegration[]): WorkspaceIntegration | null {
  const source = tool.sourceWorkspaceIntegrationId;
  const found = source
    ? instances.find(({ id }) => id === source)
    : instances.find(({ alias, integrationName }) => alias === tool.integrationAlias && integrationName === tool.integrationName);
  return found ?? null;
}

/** Nothing for an action that the catalogue no longer has or that the instance does not enable. */
function offer(catalog: Catalog, tool: McpTool, { instances, partials }: WorkspaceSetup): Omit<SurfaceTool, 'name'>[] {
  const instance = instanceOf(tool, instances);
  const action = catalog.find(tool.integrationName)?.actions.get(tool.actionName);
  if (!action || (instance && !enablesAction(instance, action.name))) return [];
  const { integrationAlias: alias, integrationName, actionName } = tool;
  const target = { integrationName, actionName, workspaceIntegrationId: instance?.id ?? null };
  const { chosen, lost } = partialsOf(tool, partials, target);
  const presets = presetsOf(chosen, tool.inputDefaults);
  const hidden = hidePresets(action.inputSchema, [...Object.keys(presets.defaults), ...Object.keys(presets.enforced)]);
  return [{ alias, integrationName, actionName, action, tool, instance, presets, lostPartials: lost, ...hidden }];
}

/** Those that the tool names, or else the defaults of what it calls (specification 2.3). */
function partialsOf({ partialIds }: McpTool, partials: readonly InputPartial[], target: PartialTarget) {
  if (partialIds.length === 0) return { chosen: defaultPartials(partials, target), lost: [] };
  const found = partialIds.map((idOrName) => ({ idOrName, partial: findPartial(partials, target, idOrName) }));
  const fits = ({ partial }: { partial: InputPartial | undefined }) => partial !== undefined && fitsTarget(partial, target);
  return {
    chosen: found.filter(fits).map(({ partial }) => partial!),
    lost: found.filter((one) => !fits(one)).map(({ idOrName }) => idOrName),
  };
}

/** What a plan takes for granted of a tool: its schema, what is preset for it, how its account is chosen, and where it keeps what it writes. */
function restsOn(found: SurfaceTool | undefined) {
  if (!found) return null;
  const { inputSchema, presets, tool, instance } = found;
  const { id, connectionStrategy, connectionId, settings } = instance ?? {};
  const place = instance && { id, connectionStrategy, connectionId, settings };
  return { inputSchema, presets, toolConnectionId: tool.connectionId, instance: place };
}

/** What these tools are together. */
export function surfaceOf(tools: readonly SurfaceTool[]): Surface {
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
        .flatMap(([alias, names]) => names.map((name) => [alias, name, restsOn(find(alias, name))] as const))
        .sort(([aliasA, nameA], [aliasB, nameB]) => compare(aliasA, aliasB) || compare(nameA, nameB)),
    );
  let whole: string | undefined;
  return {
    tools,
    byName: new Map(tools.map((tool) => [tool.name, tool])),
    actions,
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

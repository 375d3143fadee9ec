import { suggestName } from '../../domain/search/suggest-name.ts';
import { type Demotion, type Field, type TextIndex, textIndex } from '../../domain/search/text-index.ts';
import { wordsIn } from '../../domain/search/word-stems.ts';
import { isDeletionWord } from '../../domain/search/word-synonyms.ts';
import type { Catalog } from '../../integrations/catalog.ts';
import type { Surface, SurfaceTool } from '../surfaces/surface-cache.ts';
import { findSpelled, memberPath, spellingsOf } from './code-names.ts';
import { signatureOf } from './declarations.ts';
import { declaredTool } from './declared-tool.ts';
import { type DescribedAlias, describeAlias, displayNameOf, mayWait, type SurfaceReader } from './describe-surface.ts';

export interface SearchRequest {
  query?: string | undefined;
  /** The alias as configured or as spelled in code. */
  alias?: string | undefined;
  limit?: number | undefined;
}

export interface SearchAnswer {
  integrations: FoundIntegration[];
  /** The number of all matching actions, including those that are not shown. */
  total: number;
  truncated: boolean;
  /** Advice if nothing was found. Send it beside the result, not in it (contract decisions 4). */
  hint?: string;
}

interface FoundIntegration extends DescribedAlias {
  actions: FoundAction[];
}

interface FoundAction {
  functionName: string;
  actionName: string;
  description: string;
  signature: string;
  /** Keys that presets fill. */
  hiddenKeys: readonly string[];
  /** True if a call may need approval. */
  approval: boolean;
}

/**
 * The result of svc_search (contract decisions 4): the best matches first, grouped by alias.
 * Without a query, all actions match.
 */
export function searchActions(
  catalog: Catalog,
  surface: Surface,
  reader: SurfaceReader,
  { query = '', alias, limit = DEFAULT_LIMIT }: SearchRequest,
): SearchAnswer {
  const { index, calls } = searchableOf(catalog, surface);
  const only = alias === undefined ? undefined : findSpelled(Object.keys(surface.actions), alias);
  if (alias !== undefined && only === undefined) return { ...NOTHING, hint: noSuchAlias(surface, alias) };

  const { ids, total } = index.search(query, limit, only === undefined ? undefined : (id) => surface.tools[id]!.alias === only);
  if (total === 0) return { ...NOTHING, hint: NOTHING_FITS };
  const byAlias = new Map<string, FoundIntegration>();
  for (const tool of ids.map((id) => surface.tools[id]!)) {
    const found = byAlias.get(tool.alias) ?? { ...describeAlias(catalog, surface, tool.alias, reader), actions: [] };
    byAlias.set(tool.alias, found);
    found.actions.push(present(tool, calls.get(tool)!, reader));
  }
  return { integrations: [...byAlias.values()], total, truncated: total > ids.length };
}

const DEFAULT_LIMIT = 20;
const NOTHING = { integrations: [], total: 0, truncated: false };
const NOTHING_FITS =
  'Nothing found. Try fewer or other words, or leave out the query to list everything. Arithmetic, text, sorting and loops need no action: use plain JavaScript in svc_execute.';

function noSuchAlias(surface: Surface, alias: string): string {
  return `There is no alias ${JSON.stringify(alias.slice(0, 100))} here. ${suggestName(alias, Object.keys(surface.actions))}`;
}

interface Searchable {
  index: TextIndex;
  calls: ReadonlyMap<SurfaceTool, CallName>;
}

interface CallName {
  functionName: string;
  path: string;
}

/** Shared between callers, so it holds no data of end users. */
const searchables = new WeakMap<Surface, Searchable>();

function searchableOf(catalog: Catalog, surface: Surface): Searchable {
  const known = searchables.get(surface);
  if (known) return known;
  const made = { index: textIndex(surface.tools, fieldsOf(catalog), DESTRUCTIVE_LAST), calls: callNames(surface) };
  searchables.set(surface, made);
  return made;
}

function callNames({ actions, find }: Surface): ReadonlyMap<SurfaceTool, CallName> {
  const ofAliases = spellingsOf(Object.keys(actions));
  const named = Object.entries(actions).flatMap(([alias, names]) =>
    [...spellingsOf(names)].map(([name, [functionName]]) => {
      const path = memberPath(memberPath('svc', ofAliases.get(alias)![0]!), functionName!);
      return [find(alias, name)!, { functionName: functionName!, path }] as const;
    }),
  );
  return new Map(named);
}

function fieldsOf(catalog: Catalog): Field<SurfaceTool>[] {
  return [
    { weight: 5, usualWords: 3, textOf: ({ action, tool }) => `${action.name} ${tool.displayName ?? action.displayName}` },
    { weight: 3, usualWords: 2, textOf: (tool) => `${tool.alias} ${tool.integrationName} ${displayNameOf(catalog, tool)}` },
    { weight: 1.5, usualWords: 12, textOf: ({ action, tool }) => tool.description ?? action.description },
    { weight: 0.6, usualWords: 12, textOf: ({ integrationName }) => aboutIntegration(catalog, integrationName) },
    { weight: 0.4, usualWords: 6, textOf: ({ inputSchema }) => Object.keys(inputSchema.properties ?? {}).join(' ') },
  ];
}

const DESTRUCTIVE_LAST: Demotion<SurfaceTool> = {
  isDemoted: ({ action }) => action.category === 'delete' || isDeletionWord(wordsIn(action.name)[0]),
  isRequestedBy: isDeletionWord,
};

function aboutIntegration(catalog: Catalog, integrationName: string): string {
  const { description, categories } = catalog.get(integrationName);
  return `${description} ${categories.join(' ')}`;
}

function present(tool: SurfaceTool, { functionName, path }: CallName, reader: SurfaceReader): FoundAction {
  const action = declaredTool(tool);
  const { name: actionName, description } = action;
  const { hiddenKeys } = tool;
  return { functionName, actionName, description, signature: signatureOf(path, action), hiddenKeys, approval: mayWait(tool, reader) };
}

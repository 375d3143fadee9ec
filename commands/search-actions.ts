import { suggestName } from '../domain/suggest-name.ts';
import { type Field, type LateDocuments, type TextIndex, textIndex } from '../domain/text-index.ts';
import { wordsIn } from '../domain/word-stems.ts';
import { removes } from '../domain/word-synonyms.ts';
import type { Catalog } from '../integrations/catalog.ts';
import { findSpelled, memberPath, spellingsOf } from './code-names.ts';
import { signatureOf } from './declarations.ts';
import { declaredTool } from './declared-tool.ts';
import { type DescribedAlias, describeAlias, displayNameOf, mayWait, type SurfaceReader } from './describe-surface.ts';
import type { Surface, SurfaceTool } from './surface-cache.ts';

export interface SearchRequest {
  query?: string | undefined;
  /** In either spelling. */
  alias?: string | undefined;
  limit?: number | undefined;
}

export interface SearchAnswer {
  integrations: FoundIntegration[];
  /** Actions that fit, shown or not. */
  total: number;
  truncated: boolean;
  /** What to do where nothing was found; the wire shape has no place for it (decisions section 4). */
  hint?: string;
}

export interface FoundIntegration extends DescribedAlias {
  actions: FoundAction[];
}

export interface FoundAction {
  functionName: string;
  actionName: string;
  description: string;
  signature: string;
  /** Keys that are preset, which callers need not and mostly cannot send. */
  hiddenKeys: readonly string[];
  /** Whether a call may have to wait for a person. */
  approval: boolean;
}

/** What svc_search answers (decisions section 4): the actions that fit best, under their integrations, best first; without a query, all. */
export function searchActions(
  catalog: Catalog,
  surface: Surface,
  reader: SurfaceReader,
  { query = '', alias, limit = DEFAULT_LIMIT }: SearchRequest,
): SearchAnswer {
  const { index, calls } = searchableOf(catalog, surface);
  const only = alias === undefined ? undefined : findSpelled(Object.keys(surface.actions), alias);
  if (alias !== undefined && only === undefined) return { ...NOTHING, hint: noSuchAlias(surface, alias) };

  const { places, total } = index.search(query, limit, only === undefined ? undefined : (place) => surface.tools[place]!.alias === only);
  if (total === 0) return { ...NOTHING, hint: NOTHING_FITS };
  const byAlias = new Map<string, FoundIntegration>();
  for (const tool of places.map((place) => surface.tools[place]!)) {
    const found = byAlias.get(tool.alias) ?? { ...describeAlias(catalog, surface, tool.alias, reader), actions: [] };
    byAlias.set(tool.alias, found);
    found.actions.push(present(tool, calls.get(tool)!, reader));
  }
  return { integrations: [...byAlias.values()], total, truncated: total > places.length };
}

const DEFAULT_LIMIT = 20;
const NOTHING = { integrations: [], total: 0, truncated: false };
const NOTHING_FITS =
  'Nothing fits. Try fewer or other words, or leave out the query to list everything. Arithmetic, texts, sorting and loops need no action: plain JavaScript in svc_execute does them.';

function noSuchAlias(surface: Surface, alias: string): string {
  return `There is no alias ${JSON.stringify(alias.slice(0, 100))} here. ${suggestName(alias, Object.keys(surface.actions))}`;
}

interface Searchable {
  index: TextIndex;
  calls: ReadonlyMap<SurfaceTool, CallName>;
}

/** How code names a call: the function, and the way to it. */
interface CallName {
  functionName: string;
  path: string;
}

/** Made when a surface is first searched, and gone with it; what differs between end users is not in it. */
const searchables = new WeakMap<Surface, Searchable>();

function searchableOf(catalog: Catalog, surface: Surface): Searchable {
  const known = searchables.get(surface);
  if (known) return known;
  const made = { index: textIndex(surface.tools, fieldsOf(catalog), REMOVING), calls: callNames(surface) };
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

/** Who does not ask for it mostly wants anything else. */
const REMOVING: LateDocuments<SurfaceTool> = {
  isLate: ({ action }) => action.category === 'delete' || removes(wordsIn(action.name)[0]),
  isAskedBy: removes,
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

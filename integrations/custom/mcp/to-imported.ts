import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { cutText } from '../../../domain/cut-text.ts';
import type { ErrorCode } from '../../../domain/errors.ts';
import type { AuthDocument } from '../../declarative/document.ts';
import { storable } from '../document-texts.ts';
import type { ImportReport } from '../import-report.ts';
import type { ImportedAction, ImportedIntegration } from '../imported-integration.ts';
import type { Imported, ImportInput } from '../importer.ts';
import { nameOperations } from '../openapi/names.ts';
import { packIntegration } from '../pack-integration.ts';
import { isSelected } from '../select.ts';
import type { ServerListing } from './read-server.ts';
import { isTyped, type ListedTool, type ReadTool, toolToAction } from './tool-to-action.ts';

/** The caller's settings for importing a server. */
export interface ListingOptions
  extends Pick<ImportInput, 'select' | 'auth' | 'baseUrl' | 'displayName' | 'description' | 'categories' | 'logoUrl' | 'trustAnnotations'> {
  /** Names of the current actions, by the name of the tool. */
  names: ReadonlyMap<string, string>;
  /** The current auth methods, used if it is unknown what the server needs. */
  knownAuth: readonly AuthDocument[] | null;
}

/** The integration, or an error of import contract 2. */
export type ListingResult = { imported: Imported } | { problem: { code: ErrorCode; message: string; details?: Record<string, unknown> } };

const MAX_ACTIONS = 2_000;
const NAME_MAX_LENGTH = 200;
const DESCRIPTION_MAX_LENGTH = 2_000;

/** Converts the listing of a server to a packed integration, with its report. */
export function toImported(listing: ServerListing, options: ListingOptions): ListingResult {
  const isRepeated = repetitions();
  const read = listing.tools.map((tool) => (isRepeated(tool) ? repeated(tool) : toolToAction(tool, options)));
  const chosen = read.map((tool) => select(tool, options));
  const kept = chosen.filter((tool) => 'action' in tool);
  if (kept.length > MAX_ACTIONS) return { problem: tooMany(kept.length) };
  if (kept.length === 0)
    return { problem: { code: 'NOTHING_TO_IMPORT', message: 'The server lists no tool that is selected and can be imported.' } };
  const actions = named(kept, options.names);
  const { packed, notes: packingNotes } = packIntegration(toIntegration(listing, options, actions));
  const notes = [
    ...kept.flatMap((tool, index) => tool.notes.map((note) => ({ operation: actions[index]!.name, ...note }))),
    ...packingNotes,
  ];
  const leftOut = chosen.flatMap((tool) => ('leftOut' in tool ? [tool.leftOut] : []));
  const report: ImportReport = {
    ...{ operations: listing.tools.length, imported: actions.length, typed: actions.filter(isTyped).length },
    ...{ leftOut: leftOut.slice(0, MAX_LISTED), leftOutCount: leftOut.length },
    ...{ notes: notes.slice(0, MAX_LISTED), noteCount: notes.length },
  };
  const source = { format: `mcp-${listing.revision}`, documentVersion: listing.version ?? null, documentHash: hashOfTools(actions) };
  return { imported: { integration: packed, report, source } };
}

/** Maximum length of each list in the report. */
const MAX_LISTED = 500;

/** `tags` is empty: tools have no tags. */
function tooMany(count: number) {
  const message = `There are ${count} tools to import, and at most ${MAX_ACTIONS} can be imported. Select some of them.`;
  return { code: 'TOO_MANY_ACTIONS' as const, message, details: { tags: [], operations: count, maximum: MAX_ACTIONS } };
}

/** Of several tools with the same name, only the first can be called. */
function repetitions(): (tool: ListedTool) => boolean {
  const seen = new Set<unknown>();
  return (tool) => {
    // Names that differ only in characters that cannot be stored are the same.
    const name = storable(tool.name);
    const isRepeated = typeof name === 'string' && seen.has(name);
    seen.add(name);
    return isRepeated;
  };
}

function repeated({ name }: ListedTool): ReadTool {
  const operation = cutText(storable(name) as string, NAME_MAX_LENGTH);
  return { leftOut: { operation, reason: 'invalid_operation', message: 'Another tool has the same name.' } };
}

function select(tool: ReadTool, { select: selection }: ListingOptions): ReadTool {
  if ('leftOut' in tool || isSelected({ tool: tool.action.tool!.name }, selection)) return tool;
  const operation = cutText(tool.action.tool!.name, NAME_MAX_LENGTH);
  return { leftOut: { operation, reason: 'not_selected', message: 'The selection does not include it.' } };
}

function named(tools: readonly Extract<ReadTool, { action: unknown }>[], known: ReadonlyMap<string, string>): ImportedAction[] {
  const operations = tools.map(({ action }) => {
    const tool = action.tool!.name;
    return { operation: tool, method: 'tool', path: sha256(tool).slice(0, 8), operationId: tool };
  });
  const names = nameOperations(operations, known);
  return tools.map(({ action }) => ({ name: names.get(action.tool!.name)!, ...action }));
}

function toIntegration(listing: ServerListing, options: ListingOptions, actions: readonly ImportedAction[]): ImportedIntegration {
  const { host } = new URL(listing.url);
  const name = listing.title ?? listing.name ?? host;
  const found = listing.accounts === undefined ? options.knownAuth : listing.accounts;
  const auth = options.auth === undefined ? found : options.auth;
  return {
    format: 1,
    displayName: options.displayName ?? cutText(name, NAME_MAX_LENGTH),
    description: options.description ?? cutText(listing.description ?? `Tools of the MCP server at ${host}`, DESCRIPTION_MAX_LENGTH),
    categories: options.categories ?? [],
    ...(options.logoUrl !== undefined && { logoUrl: options.logoUrl }),
    auth: auth?.map(withAuthentication) ?? null,
    baseUrl: options.baseUrl ?? listing.url,
    actions,
  };
}

function withAuthentication(method: AuthDocument): AuthDocument {
  if (method.authenticate !== undefined || method.type === 'CUSTOM_AUTH') return method;
  return { ...method, authenticate: method.type === 'BASIC_AUTH' ? 'basic' : 'bearer' };
}

/** The hash does not depend on the order of the tools. */
function hashOfTools(actions: readonly ImportedAction[]): string {
  const sorted = [...actions].sort((a, b) => (a.name < b.name ? -1 : 1));
  return sha256(canonicalize(sorted) ?? '');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

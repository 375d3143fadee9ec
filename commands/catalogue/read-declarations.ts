import { GatewayError } from '../../domain/errors.ts';
import { suggestName } from '../../domain/search/suggest-name.ts';
import type { Catalog } from '../../integrations/catalog.ts';
import type { Surface } from '../surfaces/surface-cache.ts';
import { findSpelled, spellingsOf } from './code-names.ts';
import { type DeclarationDetail, type DeclaredIntegration, declarations } from './declarations.ts';
import { declaredTool } from './declared-tool.ts';
import { displayNameOf } from './describe-surface.ts';

export interface DeclarationsRequest {
  /** Aliases as configured or as spelled in code. */
  aliases: readonly string[];
  /** Undefined: all actions of these aliases. */
  actions?: readonly string[] | undefined;
  detail: DeclarationDetail;
  /** See `declarations`. Undefined: no limit. */
  maxLength?: number;
}

/**
 * The declarations of some aliases of a surface. Throws NOT_FOUND for an unknown alias and
 * ACTION_NOT_FOUND for an unknown action.
 */
export function readDeclarations(catalog: Catalog, surface: Surface, { aliases, actions, detail, maxLength }: DeclarationsRequest): string {
  const known = Object.keys(surface.actions);
  const named = [...new Set(aliases.map((alias) => findSpelled(known, alias) ?? noSuchAlias(alias, known)))];
  const offered = [...new Set(named.flatMap((alias) => surface.actions[alias]!))];
  for (const action of actions ?? []) if (findSpelled(offered, action) === undefined) noSuchAction(surface, action, named, offered);

  const spellings = spellingsOf(known);
  const declared = named.map((alias) => declaredAlias(catalog, surface, alias, spellings.get(alias)!, actions));
  return declarations(
    declared.filter((integration) => integration.actions.length > 0),
    detail,
    maxLength,
  );
}

/**
 * A sentence for each of the first MAX_LISTED_ACTIONS actions, with the aliases that offer the
 * action.
 */
export function listAliasesOf(surface: Surface, actions: readonly string[]): string {
  const noSuch = (action: string) => `No alias has an action ${quote(action)}; svc_search lists the available actions.`;
  return actions
    .slice(0, MAX_LISTED_ACTIONS)
    .map((action) => listAliases(surface, action) || noSuch(action))
    .join(' ');
}

function listAliases({ actions }: Surface, action: string): string {
  const aliases = Object.keys(actions).filter((alias) => findSpelled(actions[alias]!, action) !== undefined);
  const more = aliases.length > MAX_LISTED_ALIASES ? ` and ${aliases.length - MAX_LISTED_ALIASES} more` : '';
  return aliases.length > 0 ? `${quote(action)} is in ${aliases.slice(0, MAX_LISTED_ALIASES).join(', ')}${more}.` : '';
}

function declaredAlias(
  catalog: Catalog,
  surface: Surface,
  alias: string,
  spellings: readonly string[],
  wanted: readonly string[] | undefined,
): DeclaredIntegration {
  const names = surface.actions[alias]!;
  const ofActions = spellingsOf(names);
  const picked = wanted ? new Set(wanted.map((name) => findSpelled(names, name))) : undefined;
  const tools = names.filter((name) => !picked || picked.has(name)).map((name) => surface.find(alias, name)!);
  return {
    spellings,
    displayName: displayNameOf(catalog, surface.find(alias, names[0]!)!),
    actions: tools.map((tool) => ({ spellings: ofActions.get(tool.actionName)!, action: declaredTool(tool) })),
  };
}

const MAX_LISTED_ALIASES = 20;
const MAX_LISTED_ACTIONS = 5;

function noSuchAlias(alias: string, known: readonly string[]): never {
  throw new GatewayError('NOT_FOUND', `There is no alias ${quote(alias)} here. ${suggestName(alias, known)}`);
}

function noSuchAction(surface: Surface, action: string, aliases: readonly string[], offered: readonly string[]): never {
  const elsewhere = listAliases(surface, action);
  const advice = [elsewhere, suggestName(action, offered)].filter(Boolean).join(' ');
  throw new GatewayError('ACTION_NOT_FOUND', `There is no action ${quote(action)} in ${aliases.join(', ')}. ${advice}`);
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

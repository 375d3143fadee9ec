import { GatewayError } from '../domain/errors.ts';
import { nearestName } from '../domain/nearest-name.ts';
import type { Catalog } from '../integrations/catalog.ts';
import { findSpelled, spellingsOf } from './code-names.ts';
import { type DeclarationDetail, type DeclaredIntegration, declarations } from './declarations.ts';
import { declaredTool } from './declared-tool.ts';
import { displayNameOf } from './describe-surface.ts';
import type { Surface } from './surface-cache.ts';

export interface DeclarationsRequest {
  /** In either spelling. */
  aliases: readonly string[];
  /** Absent: all of those aliases. */
  actions?: readonly string[] | undefined;
  detail: DeclarationDetail;
}

/** Declarations of some aliases of a surface, and there of some actions. Throws NOT_FOUND or ACTION_NOT_FOUND, naming what was probably meant. */
export function readDeclarations(catalog: Catalog, surface: Surface, { aliases, actions, detail }: DeclarationsRequest): string {
  const known = Object.keys(surface.actions);
  const named = new Set(aliases.map((alias) => findSpelled(known, alias) ?? notThere('NOT_FOUND', 'alias', alias, known)));
  const offered = [...new Set([...named].flatMap((alias) => surface.actions[alias]!))];
  for (const action of actions ?? [])
    if (findSpelled(offered, action) === undefined) notThere('ACTION_NOT_FOUND', 'action', action, offered, ` in ${[...named].join(', ')}`);

  const spellings = spellingsOf(known);
  const declared = [...named].map((alias) => declaredAlias(catalog, surface, alias, spellings.get(alias)!, actions));
  return declarations(
    declared.filter((integration) => integration.actions.length > 0),
    detail,
  );
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

const MOST_NAMED = 50;

function notThere(code: 'NOT_FOUND' | 'ACTION_NOT_FOUND', kind: string, name: string, known: readonly string[], where = ' here'): never {
  const meant = nearestName(name, known);
  const names = [...known].sort().slice(0, MOST_NAMED).join(', ');
  const others = known.length > MOST_NAMED ? `${names} and ${known.length - MOST_NAMED} more; svc_search finds them` : names || 'none';
  const suggestion = meant === undefined ? '' : ` Did you mean ${JSON.stringify(meant)}?`;
  throw new GatewayError(code, `There is no ${kind} ${JSON.stringify(name.slice(0, 100))}${where}.${suggestion} There is ${others}.`);
}

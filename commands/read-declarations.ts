import { GatewayError } from '../domain/errors.ts';
import { codeName, type DeclarationDetail, type DeclaredIntegration, declarations } from './declarations.ts';

export interface DeclarationsRequest {
  /** As the workspace or as code writes them. */
  aliases: readonly string[];
  /** Absent: all. */
  actions?: readonly string[] | undefined;
  detail: DeclarationDetail;
}

/** Declarations of some aliases of a surface, and there of some actions. Throws NOT_FOUND or ACTION_NOT_FOUND, naming what there is. */
export function readDeclarations(surface: readonly DeclaredIntegration[], { aliases, actions, detail }: DeclarationsRequest): string {
  const named = [...new Set(aliases)].map(
    (alias) =>
      pick(surface, 'alias', alias) ??
      notThere(
        'NOT_FOUND',
        'alias',
        alias,
        surface.map((one) => one.alias),
      ),
  );
  if (!actions) return declarations(named, detail);

  const known = named.flatMap((integration) => integration.actions);
  for (const action of actions)
    if (!pick(known, 'name', action))
      notThere(
        'ACTION_NOT_FOUND',
        'action',
        action,
        known.map(({ name }) => name),
      );
  const wanted = new Set(actions.map(codeName));
  const some = named.map((integration) => ({
    ...integration,
    actions: integration.actions.filter(({ name }) => wanted.has(codeName(name))),
  }));
  return declarations(
    some.filter((integration) => integration.actions.length > 0),
    detail,
  );
}

function pick<Key extends string, Item extends Record<Key, string>>(items: readonly Item[], key: Key, name: string): Item | undefined {
  return items.find((item) => item[key] === name) ?? items.find((item) => codeName(item[key]) === codeName(name));
}

function notThere(code: 'NOT_FOUND' | 'ACTION_NOT_FOUND', kind: string, name: string, known: string[]): never {
  const names = [...new Set(known)].sort().slice(0, 50).join(', ') || 'none';
  throw new GatewayError(code, `There is no ${kind} ${JSON.stringify(name.slice(0, 100))} here. There is ${names}.`);
}

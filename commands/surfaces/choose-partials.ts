import { GatewayError } from '../../domain/errors.ts';
import { defaultPartials, fitsTarget, type InputPartial, type PartialTarget } from '../../domain/input-partial.ts';

/**
 * The partials that apply to a call (contract decisions 2, Actions). `named`: ids or names, in
 * order. Undefined: the defaults of the target. Throws PARTIAL_NOT_FOUND, PARTIAL_MISMATCH.
 */
export function choosePartials(
  partials: readonly InputPartial[],
  target: PartialTarget,
  named: readonly string[] | undefined,
): InputPartial[] {
  if (!named) return defaultPartials(partials, target);
  const found = named.map((idOrName) => ({ idOrName, partial: findPartial(partials, target, idOrName) }));
  const unknown = found.filter(({ partial }) => !partial).map(({ idOrName }) => idOrName);
  if (unknown.length > 0) throw new GatewayError('PARTIAL_NOT_FOUND', 'The workspace has no such partial.', { partialIds: unknown });
  const misfits = found.filter(({ partial }) => !fitsTarget(partial!, target)).map(({ idOrName }) => idOrName);
  if (misfits.length > 0) {
    throw new GatewayError('PARTIAL_MISMATCH', `The partial is not for ${target.actionName} of this ${target.integrationName}.`, {
      partialIds: misfits,
    });
  }
  return found.map(({ partial }) => partial!);
}

/**
 * Finds a partial by id or name. Partials of the target's integration come first, because names can
 * repeat in other integrations.
 */
export function findPartial(
  partials: readonly InputPartial[],
  { integrationName }: PartialTarget,
  idOrName: string,
): InputPartial | undefined {
  return (
    partials.find(({ id }) => id === idOrName.toLowerCase()) ??
    partials.find((partial) => partial.name === idOrName && partial.integrationName === integrationName) ??
    partials.find(({ name }) => name === idOrName)
  );
}

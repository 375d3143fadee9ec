import type { ActionOverrides, CustomIntegration, OnChange, Overrides } from '../../domain/custom-integrations/custom-integration.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { KeyPrincipal } from '../../domain/principal.ts';
import { actionOf, type CatalogIntegration } from '../../integrations/catalog.ts';
import { updateCustomIntegration } from '../../store/custom-integrations.ts';
import type { Gateway } from '../gateway.ts';
import { changeOwn } from './change-own.ts';
import { getOwnRecord, type OwnIntegration, withEntry } from './get-own-integration.ts';
import { defaultRefreshSeconds } from './import-integration.ts';

/** Edits of an own integration. Null restores the imported value. */
export interface OwnChanges extends OrNull<Omit<Overrides, 'actions'>> {
  refreshEverySeconds?: number | null | undefined;
  onChange?: OnChange | null | undefined;
  actions?: Readonly<Record<string, OrNull<ActionOverrides> | null>> | undefined;
}

type OrNull<Fields> = { [Field in keyof Fields]?: Fields[Field] | null | undefined };

/**
 * Edits the names, descriptions and categories of an own integration, and which actions are
 * enabled. The edits survive refreshes. Throws the errors of `getOwnRecord`, NO_UPDATES, and
 * ACTION_NOT_FOUND for an action that does not exist.
 */
export async function updateOwnIntegration(
  gateway: Gateway,
  principal: KeyPrincipal,
  name: string,
  changes: OwnChanges,
): Promise<OwnIntegration> {
  const current = await getOwnRecord(gateway, principal, name);
  if (Object.values(changes).every((value) => value === undefined)) throw new GatewayError('NO_UPDATES', 'There is nothing to change.');
  const entry = await gateway.catalog.get(principal.orgId, name);
  const { refreshEverySeconds, onChange, ...said } = changes;
  const updated = await changeOwn(gateway, current, (tx, record) =>
    updateCustomIntegration(tx, record.id, {
      overrides: merged(record, said, entry),
      ...(refreshEverySeconds !== undefined && { refreshEverySeconds: refreshEverySeconds ?? defaultRefreshSeconds(record.kind) }),
      ...(onChange !== undefined && { onChange: onChange ?? 'hold' }),
    }),
  );
  return withEntry(gateway, updated);
}

function merged({ overrides }: CustomIntegration, { actions = {}, ...whole }: OwnChanges, entry: CatalogIntegration): Overrides {
  const { actions: before = {}, ...others } = overrides;
  const said = new Map(Object.entries(before));
  for (const [name, change] of Object.entries(actions)) {
    actionOf(entry, name);
    said.set(name, change === null ? {} : withoutNulls({ ...said.get(name), ...change }));
  }
  const kept = [...said].filter(([, change]) => Object.keys(change).length > 0);
  return { ...withoutNulls({ ...others, ...whole }), ...(kept.length > 0 && { actions: Object.fromEntries(kept) }) };
}

function withoutNulls<Fields extends object>(fields: Fields): { [Field in keyof Fields]: NonNullable<Fields[Field]> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(entries) as { [Field in keyof Fields]: NonNullable<Fields[Field]> };
}

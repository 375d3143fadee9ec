import { isDeepStrictEqual } from 'node:util';
import { integrationActivity } from '../../domain/audit/change-activity.ts';
import type {
  ActionOverrides,
  CustomIntegration,
  ImportSettings,
  OnChange,
  Overrides,
} from '../../domain/custom-integrations/custom-integration.ts';
import { GatewayError } from '../../domain/errors.ts';
import { actorOf, type KeyPrincipal } from '../../domain/principal.ts';
import { actionOf, type CatalogIntegration } from '../../integrations/catalog.ts';
import { updateCustomIntegration } from '../../store/custom-integrations.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { editOwnRecord } from './edit-own-record.ts';
import { getOwnRecord, type OwnIntegration, withEntry } from './get-own-integration.ts';
import { assertRefreshable, defaultRefreshSeconds } from './import-integration.ts';

/**
 * Undefined: stays as it is. Null: the imported value, or the default of `refreshEverySeconds` and
 * `onChange`.
 */
export interface OwnEdits extends OrNull<Omit<Overrides, 'actions'>> {
  refreshEverySeconds?: number | null | undefined;
  onChange?: OnChange | null | undefined;
  actions?: Readonly<Record<string, OrNull<ActionOverrides> | null>> | undefined;
}

type OrNull<Fields> = { [Field in keyof Fields]?: Fields[Field] | null | undefined };

/**
 * Edits a custom integration and its actions. Refreshes keep the edits. Throws the errors of
 * `getOwnRecord`, VALIDATION_ERROR, NO_UPDATES and ACTION_NOT_FOUND.
 */
export async function updateOwnIntegration(
  gateway: Gateway,
  principal: KeyPrincipal,
  name: string,
  edits: OwnEdits,
): Promise<OwnIntegration> {
  const current = await getOwnRecord(gateway, principal, name);
  assertRefreshable((current.settings as ImportSettings).url, edits.refreshEverySeconds);
  if (Object.values(edits).every((value) => value === undefined)) throw new GatewayError('NO_UPDATES', 'There is nothing to change.');
  const entry = await gateway.catalog.get(principal.orgId, name);
  const { refreshEverySeconds, onChange, ...overrides } = edits;
  const updated = await editOwnRecord(gateway, current, async (tx, record) => {
    const stored = await updateCustomIntegration(tx, record.id, {
      overrides: merged(record, overrides, entry),
      ...(refreshEverySeconds !== undefined && { refreshEverySeconds: refreshEverySeconds ?? defaultRefreshSeconds(record.kind) }),
      ...(onChange !== undefined && { onChange: onChange ?? 'hold' }),
    });
    const changed = differing(editable(record), editable(stored));
    const actions = differing(record.overrides.actions ?? {}, stored.overrides.actions ?? {});
    const details = { changed, actionCount: actions.length, actions: actions.slice(0, NAMED_ACTIONS) };
    if (changed.length > 0) await recordActivity(tx, integrationActivity('integration.updated', stored, actorOf(principal), details));
    return stored;
  });
  return withEntry(gateway, updated);
}

const NAMED_ACTIONS = 20;

function editable({ overrides, refreshEverySeconds, onChange }: CustomIntegration): Record<string, unknown> {
  return { ...overrides, refreshEverySeconds, onChange };
}

function differing(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name])).sort();
}

function merged({ overrides }: CustomIntegration, { actions = {}, ...whole }: OwnEdits, entry: CatalogIntegration): Overrides {
  const { actions: before = {}, ...others } = overrides;
  const editedActions = new Map(Object.entries(before));
  for (const [name, edit] of Object.entries(actions)) {
    actionOf(entry, name);
    editedActions.set(name, edit === null ? {} : withoutNulls({ ...editedActions.get(name), ...edit }));
  }
  const kept = [...editedActions].filter(([, edit]) => Object.keys(edit).length > 0);
  return { ...withoutNulls({ ...others, ...whole }), ...(kept.length > 0 && { actions: Object.fromEntries(kept) }) };
}

function withoutNulls<Fields extends object>(fields: Fields): { [Field in keyof Fields]: NonNullable<Fields[Field]> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(entries) as { [Field in keyof Fields]: NonNullable<Fields[Field]> };
}

import type { CustomIntegration } from '../../domain/custom-integrations/custom-integration.ts';
import { GatewayError } from '../../domain/errors.ts';
import { assertMayDecide, assertOrgWide, type KeyPrincipal } from '../../domain/principal.ts';
import { type CatalogIntegration, noSuchIntegration } from '../../integrations/catalog.ts';
import type { IntegrationHead } from '../../integrations/custom/pack-integration.ts';
import { toOwnIdentity } from '../../integrations/custom/to-custom-integration.ts';
import { countCustomActions } from '../../store/custom-actions.ts';
import { countPendingChanges } from '../../store/custom-changes.ts';
import { findCustomIntegration, listCustomIntegrations } from '../../store/custom-integrations.ts';
import type { Gateway } from '../gateway.ts';

/** A custom integration: its record, and its entry in the catalogue. */
export interface OwnIntegration {
  record: CustomIntegration;
  entry: CatalogIntegration;
  pendingChanges: number;
  /** True if a built-in integration of the same name was added later and is hidden. */
  hidesBuiltIn?: boolean;
}

/**
 * The record of a custom integration that a key may change. With `decides`, the key must also have
 * approvals.decide. Throws INTEGRATION_NOT_FOUND, SCOPE_DENIED, APPROVAL_DECISION_SCOPE_REQUIRED
 * and NOT_CUSTOM.
 */
export async function getOwnRecord(
  { catalog, db }: Gateway,
  principal: KeyPrincipal,
  name: string,
  { decides = false }: { decides?: boolean } = {},
): Promise<CustomIntegration> {
  const entry = await catalog.get(principal.orgId, name);
  assertOrgWide(principal);
  if (decides) assertMayDecide(principal);
  if (entry.customId === undefined) throw new GatewayError('NOT_CUSTOM', `${entry.name} is part of the service and cannot be changed.`);
  const record = await findCustomIntegration(db, principal.orgId, entry.name);
  if (!record) throw noSuchIntegration(name);
  return record;
}

/** Finds a custom integration for reading. Throws INTEGRATION_NOT_FOUND. */
export async function getOwnIntegration(gateway: Gateway, orgId: string, name: string): Promise<OwnIntegration> {
  const { customId } = await gateway.catalog.get(orgId, name);
  const record = customId === undefined ? undefined : await findCustomIntegration(gateway.db, orgId, name);
  if (!record) throw noSuchIntegration(name);
  return withEntry(gateway, record);
}

/** Returns a record with its entry in the catalogue. */
export async function withEntry({ catalog, db }: Gateway, record: CustomIntegration): Promise<OwnIntegration> {
  const [entry, pending] = await Promise.all([catalog.get(record.orgId, record.name), countPendingChanges(db, [record.id])]);
  return { record, entry, pendingChanges: pending.get(record.id) ?? 0, hidesBuiltIn: catalog.builtIn.find(record.name) !== undefined };
}

/** A custom integration in a list. Its entry has no actions. */
export interface ListedOwnIntegration extends OwnIntegration {
  actionCount: number;
}

/** All custom integrations of an organization, ordered by name. */
export async function listOwnIntegrations({ catalog, db }: Gateway, orgId: string): Promise<ListedOwnIntegration[]> {
  const records = await listCustomIntegrations(db, orgId);
  const ids = records.map(({ id }) => id);
  const [pending, actions] = await Promise.all([countPendingChanges(db, ids), countCustomActions(db, ids)]);
  return records.map((record) => ({
    ...{ record, entry: entryWithoutActions(record) },
    pendingChanges: pending.get(record.id) ?? 0,
    actionCount: actions.get(record.id) ?? 0,
    hidesBuiltIn: catalog.builtIn.find(record.name) !== undefined,
  }));
}

function entryWithoutActions({ id, name, overrides, head }: CustomIntegration): CatalogIntegration {
  const parts = { definitions: new Map(), pending: new Map(), blocksOnChange: false };
  return toOwnIdentity({ id, name, overrides, head: head as unknown as IntegrationHead, ...parts });
}

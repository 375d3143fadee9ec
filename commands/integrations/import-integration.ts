import { randomUUID } from 'node:crypto';
import type { Actor } from '../../domain/approval.ts';
import { integrationActivity } from '../../domain/audit/change-activity.ts';
import type { CustomIntegration, ImportSettings, OnChange } from '../../domain/custom-integrations/custom-integration.ts';
import { GatewayError, validationError } from '../../domain/errors.ts';
import { isDuplicate } from '../../infra/database.ts';
import type { CatalogIntegration } from '../../integrations/catalog.ts';
import type { ImportKind } from '../../integrations/custom/imported-integration.ts';
import type { ImportInput } from '../../integrations/custom/importer.ts';
import type { PackedIntegration } from '../../integrations/custom/pack-integration.ts';
import { type StoredIntegration, toOwnEntry } from '../../integrations/custom/to-custom-integration.ts';
import { putCustomActions, putCustomDefinitions } from '../../store/custom-actions.ts';
import { countCustomIntegrations, findCustomIntegration, insertCustomIntegration } from '../../store/custom-integrations.ts';
import { lockOrg } from '../../store/orgs.ts';
import { isServiceName } from '../../store/service-names.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import type { OwnIntegration } from './get-own-integration.ts';
import { type FullReport, runImport } from './run-import.ts';
import { sealFetchSecrets } from './seal-fetch-secrets.ts';

export interface ImportRequest extends ImportInput {
  orgId: string;
  by: Actor;
  kind: ImportKind;
  preview?: boolean | undefined;
  /** Default: `defaultRefreshSeconds`. */
  refreshEverySeconds?: number | undefined;
  onChange?: OnChange | undefined;
}

/** Throws VALIDATION_ERROR if there is a schedule but no URL to read. */
export function assertRefreshable(url: string | null | undefined, refreshEverySeconds: number | null | undefined): void {
  if (url || !refreshEverySeconds) return;
  throw validationError([{ path: 'refreshEverySeconds', message: 'is for an integration that is imported from a URL' }]);
}

/** The default of `refreshEverySeconds`. 0: no scheduled refreshes. */
export function defaultRefreshSeconds(kind: ImportKind): number {
  return kind === 'mcp' ? 3600 : 0;
}

/**
 * Imports an integration into an organization (import contract 1). With `preview`, stores nothing.
 * Throws VALIDATION_ERROR, DUPLICATE, QUOTA_EXCEEDED and the errors of `runImport`.
 */
export async function importIntegration(
  gateway: Gateway,
  { orgId, by, kind, preview = false, refreshEverySeconds, onChange = 'hold', ...input }: ImportRequest,
): Promise<OwnIntegration & { report: FullReport }> {
  const { name, url } = input;
  assertRefreshable(url, refreshEverySeconds);
  await assertNameFree(gateway, orgId, name);
  if (!preview) await assertQuota(gateway, await countCustomIntegrations(gateway.db, orgId));
  const imported = await runImport(gateway, { orgId, kind, input });
  const id = randomUUID();
  const fields = {
    ...{ id, orgId, name, kind, onChange, overrides: {}, source: imported.source },
    head: imported.integration.head as unknown as Record<string, unknown>,
    report: imported.report as unknown as Record<string, unknown>,
    settings: settingsOf(input),
    refreshEverySeconds: refreshEverySeconds ?? defaultRefreshSeconds(kind),
    sealedFetch: preview ? null : await sealFetchSecrets(gateway, { orgId, id }, input),
  };
  const entry = await entryOf(fields, imported.integration);
  if (preview) return { entry, record: unsaved(fields), pendingChanges: 0, report: imported.report };
  const record = await gateway.db
    .transaction(async (tx) => {
      if (await isServiceName(tx, name))
        throw new GatewayError('DUPLICATE', `${name} is or was the name of an integration of the service.`);
      const inserted = await insertCustomIntegration(tx, fields);
      await putCustomDefinitions(tx, id, imported.integration.definitions);
      await putCustomActions(tx, id, imported.integration.actions, 0);
      await lockOrg(tx, orgId);
      await assertQuota(gateway, (await countCustomIntegrations(tx, orgId)) - 1);
      await recordActivity(tx, integrationActivity('integration.imported', inserted, by));
      return inserted;
    })
    .catch((error) => {
      throw isDuplicate(error) ? taken(name) : error;
    });
  return { entry, record, pendingChanges: 0, report: imported.report };
}

function settingsOf({ url, select, auth, baseUrl, serverVariables, trustAnnotations }: ImportInput): ImportSettings {
  return {
    url: url ?? null,
    ...(select && { select }),
    ...(auth !== undefined && { auth }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(serverVariables && { serverVariables }),
    ...(trustAnnotations !== undefined && { trustAnnotations }),
  };
}

function entryOf(
  { id, name, onChange, overrides, head }: Pick<CustomIntegration, 'id' | 'name' | 'onChange' | 'overrides' | 'head'>,
  { actions, definitions }: PackedIntegration,
): Promise<CatalogIntegration> {
  const stored: StoredIntegration = {
    ...{ id, name, overrides, actions, blocksOnChange: onChange === 'block' },
    head: head as unknown as StoredIntegration['head'],
    definitions: new Map(Object.entries(definitions)),
    pending: new Map(),
  };
  return toOwnEntry(stored);
}

function unsaved(fields: Parameters<typeof insertCustomIntegration>[1]): CustomIntegration {
  const now = new Date();
  const state = { version: 1, revision: fields.id, status: 'ACTIVE' as const, lastError: null };
  return { ...fields, ...state, importedAt: now, checkedAt: now, createdAt: now, updatedAt: now };
}

async function assertNameFree({ catalog, db }: Gateway, orgId: string, name: string): Promise<void> {
  if (catalog.builtIn.find(name) || (await findCustomIntegration(db, orgId, name))) throw taken(name);
}

function taken(name: string): GatewayError {
  return new GatewayError('DUPLICATE', `There is already an integration named ${name}.`);
}

async function assertQuota({ config }: Gateway, count: number): Promise<void> {
  const quota = config.quotas.customIntegrations;
  if (quota === undefined || count < quota) return;
  throw new GatewayError('QUOTA_EXCEEDED', `The organization has ${quota} custom integrations, which is its quota.`, { quota });
}

import type { CustomChange, CustomIntegration, DetectedBy, ImportSettings } from '../../domain/custom-integrations/custom-integration.ts';
import { GatewayError, validationError } from '../../domain/errors.ts';
import type { Db } from '../../infra/database.ts';
import type { Imported, ImportInput } from '../../integrations/custom/importer.ts';
import type { PackedAction, PackedIntegration } from '../../integrations/custom/pack-integration.ts';
import { deleteUnusedDefinitions, listCustomActions, listCustomDefinitions, putCustomDefinitions } from '../../store/custom-actions.ts';
import { endChanges, insertChanges, listPendingChanges, listRejectedHashes } from '../../store/custom-changes.ts';
import {
  type CustomIntegrationChanges,
  findCustomIntegration,
  markChecked,
  updateCustomIntegration,
} from '../../store/custom-integrations.ts';
import type { Gateway } from '../gateway.ts';
import { applyChanges } from './apply-change.ts';
import { changeOwn } from './change-own.ts';
import { type FetchSecrets, openFetchSecrets, sealFetchSecrets } from './fetch-secrets.ts';
import { type FoundChange, findChanges } from './find-changes.ts';
import { type OwnIntegration, withEntry } from './get-own-integration.ts';
import { type FullReport, runImport } from './run-import.ts';

export interface RefreshRequest extends FetchSecrets {
  document?: unknown;
  select?: ImportInput['select'];
  /** Stores nothing. */
  preview?: boolean | undefined;
  /** Puts the changes in place at once. */
  acceptedBy?: string | undefined;
  detectedBy?: DetectedBy | undefined;
}

/** A change of a preview has no id. */
type ShownChange = Omit<CustomChange, 'id'> & { id: string | null };

export interface Refreshed extends OwnIntegration {
  report: FullReport;
  changes: readonly ShownChange[];
}

/**
 * Reads the document or the server of an own integration again. Differences become changes that
 * wait for a decision (import contract 5). Throws INTEGRATION_NOT_FOUND, VALIDATION_ERROR if there
 * is no document to read, and the errors of import contract 2. A failure is recorded, so that the
 * integration does not look up to date, unless the caller sent the document.
 */
export async function refreshOwnIntegration(gateway: Gateway, record: CustomIntegration, request: RefreshRequest = {}): Promise<Refreshed> {
  const { preview = false } = request;
  const secrets = { ...(await openFetchSecrets(gateway, record)), ...given(request) };
  const imported = await read(gateway, record, request, secrets).catch(async (error) => {
    if (!preview && request.document === undefined && isOfSource(error))
      await markChecked(gateway.db, record.id, { code: error.code, message: error.message });
    throw error;
  });
  if (preview) return previewed(gateway, record, imported);
  const report = imported.report as unknown as Record<string, unknown>;
  if (await isKnown(gateway, record, imported, request)) {
    await markChecked(gateway.db, record.id, null, { source: imported.source, report });
    const checked = (await findCustomIntegration(gateway.db, record.orgId, record.name)) ?? record;
    return { ...(await withEntry(gateway, checked)), report: imported.report, changes: await listPendingChanges(gateway.db, record.id) };
  }
  const sealedFetch = Object.keys(given(request)).length > 0 ? await sealFetchSecrets(gateway, record, secrets) : undefined;
  const fields: CustomIntegrationChanges = {
    ...{ source: imported.source, report, checkedAt: new Date() },
    ...{ status: 'ACTIVE', lastError: null, ...(sealedFetch && { sealedFetch }) },
    ...(request.select && { settings: { ...record.settings, select: request.select } }),
  };
  const { changes, updated } = await changeOwn(gateway, record, async (tx, current) => {
    const found = await findChanges(await storedParts(tx, current), imported.integration);
    await putCustomDefinitions(tx, current.id, usedBy(found, imported.integration));
    const outcome = request.acceptedBy === undefined ? await hold(tx, current, found, request) : await accept(tx, current, found, request);
    const stored = await updateCustomIntegration(tx, current.id, { ...fields, ...outcome.fields });
    await deleteUnusedDefinitions(tx, current.id);
    return { changes: outcome.changes, updated: stored };
  }).catch(async (error) => {
    if (request.document === undefined && !(error instanceof GatewayError)) await markChecked(gateway.db, record.id, NOT_STORED);
    throw error;
  });
  return { ...(await withEntry(gateway, updated)), report: imported.report, changes };
}

/** Whether the source failed. Too many imports at a time are not its failure. */
function isOfSource(error: unknown): error is GatewayError {
  return error instanceof GatewayError && error.code !== 'RATE_LIMITED';
}

const NOT_STORED = { code: 'INTERNAL_ERROR', message: 'The changes that were found could not be stored.' };

/**
 * Whether every difference that a refresh found is already a pending change, so that nothing has to
 * be written.
 */
async function isKnown(gateway: Gateway, record: CustomIntegration, { integration }: Imported, request: RefreshRequest): Promise<boolean> {
  if (request.acceptedBy !== undefined || request.select || Object.keys(given(request)).length > 0) return false;
  const found = await findChanges(await storedParts(gateway.db, record), integration);
  const { fresh, gone } = await compareWithWaiting(gateway.db, record.id, found);
  return fresh.length === 0 && gone.length === 0;
}

function given({ headers, fetchAuth }: FetchSecrets): FetchSecrets {
  return { ...(headers && { headers }), ...(fetchAuth && { fetchAuth }) };
}

async function read(
  gateway: Gateway,
  record: CustomIntegration,
  { document, select }: RefreshRequest,
  secrets: FetchSecrets,
): Promise<Imported & { report: FullReport }> {
  const { url, select: selected, ...settings } = record.settings as ImportSettings & Pick<ImportInput, 'select' | 'auth'>;
  if (document === undefined && url === null)
    throw validationError([{ path: 'document', message: 'is required: this integration was not imported from a URL' }]);
  const input: ImportInput = { name: record.name, ...settings, ...secrets, select: select ?? selected };
  const actions = await listCustomActions(gateway.db, record.id);
  const names = new Map(actions.map(({ name, source }) => [sourceKey(source as PackedAction['source']), name]));
  const source = document === undefined ? { url: url! } : { document };
  return runImport(gateway, { orgId: record.orgId, kind: record.kind, input: { ...input, ...source }, names });
}

function sourceKey(source: PackedAction['source']): string {
  return 'tool' in source ? source.tool : source.operation;
}

async function storedParts(db: Db, record: CustomIntegration) {
  const actions = (await listCustomActions(db, record.id)) as PackedAction[];
  return { record, actions, definitions: await listCustomDefinitions(db, record.id) };
}

function usedBy(found: readonly FoundChange[], { definitions }: PackedIntegration): Record<string, string> {
  const hashes = found.flatMap(({ after, actionName }) => {
    if (after === null || actionName === null) return [];
    const { uses } = after as unknown as PackedAction;
    return [...Object.values(uses.input), ...Object.values(uses.output)];
  });
  return Object.fromEntries([...new Set(hashes)].flatMap((hash) => (hash === null ? [] : [[hash, definitions[hash]!]])));
}

interface Outcome {
  changes: readonly CustomChange[];
  fields: CustomIntegrationChanges;
}

/**
 * Stores differences as pending changes. An equal pending change stays, a different one is
 * superseded. A difference that was rejected last is not stored again.
 */
async function hold(
  tx: Db,
  { id }: CustomIntegration,
  found: readonly FoundChange[],
  { detectedBy = 'refresh' }: RefreshRequest,
): Promise<Outcome> {
  const { fresh, gone } = await compareWithWaiting(tx, id, found);
  await endChanges(
    tx,
    gone.map((change) => change.id),
    { status: 'superseded' },
  );
  await insertChanges(
    tx,
    fresh.map((change) => ({ ...change, integrationId: id, detectedBy })),
    'pending',
  );
  return { changes: await listPendingChanges(tx, id), fields: {} };
}

/** The differences without a pending change, and the pending changes without a difference. */
async function compareWithWaiting(db: Db, id: string, found: readonly FoundChange[]) {
  const rejected = new Set((await listRejectedHashes(db, id)).map(keyOf));
  const pending = await listPendingChanges(db, id);
  const open = found.filter((change) => !rejected.has(keyOf(change)));
  const [wanted, waiting] = [new Set(open.map(keyOf)), new Set(pending.map(keyOf))];
  const gone = pending.filter((change) => !wanted.has(keyOf(change)));
  return { fresh: open.filter((change) => !waiting.has(keyOf(change))), gone };
}

async function accept(tx: Db, record: CustomIntegration, found: readonly FoundChange[], request: RefreshRequest): Promise<Outcome> {
  const { detectedBy = 'refresh', acceptedBy } = request;
  const pending = await listPendingChanges(tx, record.id);
  await endChanges(
    tx,
    pending.map(({ id }) => id),
    { status: 'superseded' },
  );
  const head = await applyChanges(tx, record, found);
  const changes = await insertChanges(
    tx,
    found.map((change) => ({ ...change, after: null, integrationId: record.id, detectedBy })),
    'accepted',
    acceptedBy,
  );
  return { changes, fields: { head, version: record.version + found.length } };
}

function keyOf({ kind, actionName, afterHash }: Pick<FoundChange, 'kind' | 'actionName' | 'afterHash'>): string {
  return JSON.stringify([kind, actionName, afterHash]);
}

async function previewed(
  gateway: Gateway,
  record: CustomIntegration,
  { integration, report }: Imported & { report: FullReport },
): Promise<Refreshed> {
  const found = await findChanges(await storedParts(gateway.db, record), integration);
  const now = new Date();
  const changes = found.map(({ kind, actionName, fields }) => ({
    ...{ id: null, integrationId: record.id, kind, actionName, fields, status: 'pending' as const },
    ...{ detectedAt: now, detectedBy: 'refresh' as const, decidedAt: null, decidedById: null, reason: null },
  }));
  return { ...(await withEntry(gateway, record)), report, changes };
}

import type { Actor } from '../../domain/approval.ts';
import type { CustomChange, CustomIntegration, DetectedBy, ImportSettings } from '../../domain/custom-integrations/custom-integration.ts';
import { GatewayError, validationError } from '../../domain/errors.ts';
import type { KeyPrincipal } from '../../domain/principal.ts';
import { inSnapshot } from '../../infra/database.ts';
import { noSuchIntegration } from '../../integrations/catalog.ts';
import type { Imported, ImportInput } from '../../integrations/custom/importer.ts';
import type { IntegrationHead, PackedAction, PackedIntegration } from '../../integrations/custom/pack-integration.ts';
import { deleteUnusedDefinitions, listCustomActions, listCustomDefinitions, putCustomDefinitions } from '../../store/custom-actions.ts';
import { listPendingChanges } from '../../store/custom-changes.ts';
import {
  type CustomIntegrationChanges,
  findCustomIntegration,
  markChecked,
  updateCustomIntegration,
} from '../../store/custom-integrations.ts';
import type { Gateway } from '../gateway.ts';
import { editOwnRecord } from './edit-own-record.ts';
import { type FoundChange, findChanges } from './find-changes.ts';
import { type OwnIntegration, withEntry } from './get-own-integration.ts';
import { acceptChanges, compareWithWaiting, holdChanges } from './hold-changes.ts';
import { recordRefresh } from './record-refresh.ts';
import { type FullReport, runImport } from './run-import.ts';
import { type FetchSecrets, openFetchSecrets, sealFetchSecrets } from './seal-fetch-secrets.ts';
import { changeDigest, digestOfAll } from './shown-change.ts';

export interface RefreshRequest extends FetchSecrets {
  document?: unknown;
  select?: ImportInput['select'];
  /** True: stores nothing. */
  preview?: boolean | undefined;
  /** Undefined: the service itself, on schedule or because the MCP server announced a change. */
  by?: Actor | undefined;
  /** Applies the changes immediately, in the name of this caller. */
  acceptedBy?: KeyPrincipal | undefined;
  /** With `acceptedBy`: the digest of the preview that the caller has read. */
  digest?: string | undefined;
  detectedBy?: DetectedBy | undefined;
}

/** A change in a list. Its id is null in a preview. */
export type ShownChange = Omit<CustomChange, 'id'> & { id: string | null };

export interface Refreshed extends OwnIntegration {
  report: FullReport;
  changes: readonly ShownChange[];
  /** Only in a preview: the digest of all changes. Null if a comparison is incomplete. */
  digest?: string | null;
}

type Read = Imported & { report: FullReport };

/**
 * Reads the source of a custom integration again. Differences become changes that wait for a
 * decision, unless `acceptedBy` is set (import contract 5). Throws INTEGRATION_NOT_FOUND,
 * VALIDATION_ERROR, CHANGE_CONFLICT and the errors of the import.
 */
export async function refreshOwnIntegration(gateway: Gateway, record: CustomIntegration, request: RefreshRequest = {}): Promise<Refreshed> {
  const { preview = false } = request;
  if (request.document === undefined && urlOf(record) === null)
    throw validationError([{ path: 'document', message: 'is required: this integration was not imported from a URL' }]);
  const secrets = { ...(await openFetchSecrets(gateway, record)), ...given(request) };
  const imported = await read(gateway, record, request, secrets).catch(async (error) => {
    if (!preview && request.document === undefined && isOfSource(error))
      await markChecked(gateway.db, record.id, { code: error.code, message: error.message });
    throw error;
  });
  if (preview) return previewed(gateway, record, imported);
  const sealedFetch = Object.keys(given(request)).length > 0 ? await sealFetchSecrets(gateway, record, secrets) : undefined;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const refreshed = await store(gateway, record, imported, request, sealedFetch).catch(async (error) => {
      if (error instanceof OutdatedError) return undefined;
      const noted = notedFailure(error);
      if (request.document === undefined && noted) await markChecked(gateway.db, record.id, noted);
      throw error;
    });
    if (refreshed) return refreshed;
  }
  throw new GatewayError('CHANGE_CONFLICT', 'Changes of the integration are being accepted at the moment. Try again.');
}

function notedFailure(error: unknown): CustomIntegration['lastError'] | undefined {
  if (!(error instanceof GatewayError)) return { code: 'INTERNAL_ERROR', message: 'The changes that were found could not be stored.' };
  return error.code === 'DOCUMENT_TOO_COMPLEX' ? { code: error.code, message: error.message } : undefined;
}

/** A comparison is repeated if a change was accepted in the meantime. */
const MAX_TRIES = 5;

class OutdatedError extends Error {}

async function store(
  gateway: Gateway,
  record: CustomIntegration,
  imported: Read,
  request: RefreshRequest,
  sealedFetch: Buffer | null | undefined,
): Promise<Refreshed> {
  const { detectedBy = 'refresh', acceptedBy } = request;
  const { version, found, digest } = await compareWithStored(gateway, record, imported);
  if (request.digest !== undefined && request.digest !== digest)
    throw new GatewayError('CHANGE_CONFLICT', 'The digest names other changes. Read the preview again.');
  const report = imported.report as unknown as Record<string, unknown>;
  if (acceptedBy === undefined && !request.select && !sealedFetch && (await isKnown(gateway, record, found))) {
    await markChecked(gateway.db, record.id, null, { source: imported.source, report });
    const checked = (await findCustomIntegration(gateway.db, record.orgId, record.name)) ?? record;
    return { ...(await withEntry(gateway, checked)), report: imported.report, changes: await listPendingChanges(gateway.db, record.id) };
  }
  const fields: CustomIntegrationChanges = {
    ...{ source: imported.source, report, checkedAt: new Date() },
    ...{ status: 'ACTIVE', lastError: null, ...(sealedFetch && { sealedFetch }) },
    ...(request.select && { settings: { ...record.settings, select: request.select } }),
  };
  const { changes, updated } = await editOwnRecord(gateway, record, async (tx, current) => {
    if (current.version !== version) throw new OutdatedError();
    await putCustomDefinitions(tx, current.id, usedBy(found, imported.integration));
    const held =
      acceptedBy === undefined
        ? await holdChanges(tx, current, found, detectedBy)
        : await acceptChanges(tx, current, found, { detectedBy, acceptedBy: acceptedBy.id });
    const stored = await updateCustomIntegration(tx, current.id, { ...fields, ...held.fields });
    await deleteUnusedDefinitions(tx, current.id);
    await recordRefresh(tx, request, { before: current, stored, foundCount: held.foundCount });
    return { changes: held.changes, updated: stored };
  });
  return { ...(await withEntry(gateway, updated)), report: imported.report, changes };
}

/** Whether the source caused the error. RATE_LIMITED means too many concurrent imports. */
function isOfSource(error: unknown): error is GatewayError {
  return error instanceof GatewayError && error.code !== 'RATE_LIMITED';
}

async function isKnown({ db }: Gateway, { id }: CustomIntegration, found: readonly FoundChange[]): Promise<boolean> {
  const { fresh, gone } = await compareWithWaiting(db, id, found);
  return fresh.length === 0 && gone.length === 0;
}

async function compareWithStored(gateway: Gateway, { id, orgId, name }: CustomIntegration, { integration }: Imported) {
  const stored = await inSnapshot(gateway.db, async (tx) => {
    const current = await findCustomIntegration(tx, orgId, name);
    if (current?.id !== id) throw noSuchIntegration(name);
    const actions = (await listCustomActions(tx, id)) as PackedAction[];
    return { record: current, actions, definitions: await listCustomDefinitions(tx, id) };
  });
  const { version, head } = stored.record;
  const found = await findChanges(gateway, stored, integration);
  const digests = found.map((change) => changeDigest({ ...change, status: 'pending' }, head));
  return { version, found, digest: digestOfAll(digests) };
}

function given({ headers, fetchAuth }: FetchSecrets): FetchSecrets {
  return { ...(headers && { headers }), ...(fetchAuth && { fetchAuth }) };
}

async function read(
  gateway: Gateway,
  record: CustomIntegration,
  { document, select }: RefreshRequest,
  secrets: FetchSecrets,
): Promise<Read> {
  const { url: _, select: selected, ...settings } = record.settings as ImportSettings & Pick<ImportInput, 'select' | 'auth'>;
  const input: ImportInput = { name: record.name, ...settings, ...secrets, select: select ?? selected };
  const actions = await listCustomActions(gateway.db, record.id);
  const names = new Map(actions.map(({ name, source }) => [sourceKey(source as PackedAction['source']), name]));
  const source = document === undefined ? { url: urlOf(record)! } : { document };
  const { auth: knownAuth } = record.head as unknown as IntegrationHead;
  return runImport(gateway, { orgId: record.orgId, kind: record.kind, input: { ...input, ...source }, names, knownAuth });
}

function urlOf({ settings }: CustomIntegration): string | null {
  return (settings as ImportSettings).url;
}

function sourceKey(source: PackedAction['source']): string {
  return 'tool' in source ? source.tool : source.operation;
}

function usedBy(found: readonly FoundChange[], { definitions }: PackedIntegration): Record<string, string> {
  const hashes = found.flatMap(({ after, actionName }) => {
    if (after === null || actionName === null) return [];
    const { uses } = after as unknown as PackedAction;
    return [...Object.values(uses.input), ...Object.values(uses.output)];
  });
  return Object.fromEntries([...new Set(hashes)].flatMap((hash) => (hash === null ? [] : [[hash, definitions[hash]!]])));
}

async function previewed(gateway: Gateway, record: CustomIntegration, imported: Read): Promise<Refreshed> {
  const { found, digest } = await compareWithStored(gateway, record, imported);
  const now = new Date();
  const changes = found.map(({ after: _, afterHash: __, ...change }) => ({
    ...{ ...change, id: null, integrationId: record.id, status: 'pending' as const },
    ...{ detectedAt: now, detectedBy: 'refresh' as const, decidedAt: null, decidedById: null, reason: null },
  }));
  const isWhole = found.every(({ isComplete }) => isComplete);
  return { ...(await withEntry(gateway, record)), report: imported.report, changes, digest: isWhole ? digest : null };
}

import { GatewayError, validationError } from '../../domain/errors.ts';
import type { ImportReport } from '../../integrations/custom/import-report.ts';
import type { ImportKind } from '../../integrations/custom/imported-integration.ts';
import type { ImportContext, Imported, ImportInput } from '../../integrations/custom/importer.ts';
import { IMPORTERS } from '../../integrations/custom/importers.ts';
import type { Gateway } from '../gateway.ts';
import { limitPerTenant, slotsFor } from './import-slots.ts';

/** The report of an import for callers (import contract 1). */
export interface FullReport extends ImportReport {
  /** The share of imported operations with types, from 0 to 1. */
  typedShare: number;
  categories: Readonly<Record<string, number>>;
  durationMs: number;
}

/** Maximum length of a list in a report. Counts include all entries. */
const MAX_LISTED = 500;
const DEADLINE_SECONDS = 60;
/** Each import holds its whole document in memory. */
const limited = limitPerTenant(10);

type ImportGateway = Pick<Gateway, 'outbound' | 'schedulers'>;

/** An import, and the organization that it is for. */
export interface ImportTask {
  orgId: string;
  kind: ImportKind;
  input: ImportInput;
  /** The names of the current actions, by their source. Default: empty. */
  names?: ReadonlyMap<string, string>;
  /** The current auth methods. Only for a refresh. */
  knownAuth?: ImportContext['knownAuth'];
}

/**
 * Reads a document or an MCP server. Stores nothing. Throws VALIDATION_ERROR, the errors of import
 * contract 2, and RATE_LIMITED.
 */
export async function runImport(gateway: ImportGateway, task: ImportTask): Promise<Imported & { report: FullReport }> {
  return limited(task.orgId, () => readSource(gateway, task));
}

async function readSource(
  gateway: ImportGateway,
  { orgId, kind, input, names = new Map(), knownAuth }: ImportTask,
): Promise<Imported & { report: FullReport }> {
  const startedAt = performance.now();
  const importer = IMPORTERS[kind];
  if (!importer) throw new GatewayError('DOCUMENT_UNSUPPORTED', `This service cannot import the kind ${kind}.`);
  if (kind === 'mcp' && input.url === undefined) throw validationError([{ path: 'url', message: 'is required for the kind mcp' }]);
  assertAbsolute(input.baseUrl);
  const signal = AbortSignal.timeout(DEADLINE_SECONDS * 1000);
  const imported = await importer(input, {
    outbound: gateway.outbound,
    withSlot: slotsFor(gateway, orgId, signal),
    signal,
    names,
    knownAuth,
  });
  for (const address of imported.integration.addresses) await assertDestination(gateway, address);
  const { report, integration } = imported;
  const categories: Record<string, number> = {};
  for (const { category } of integration.actions) categories[category] = (categories[category] ?? 0) + 1;
  const full: FullReport = {
    ...report,
    leftOut: report.leftOut.slice(0, MAX_LISTED),
    notes: report.notes.slice(0, MAX_LISTED),
    typedShare: report.imported === 0 ? 0 : report.typed / report.imported,
    categories,
    durationMs: Math.round(performance.now() - startedAt),
  };
  return { ...imported, report: full };
}

/** A base URL can contain values of the account. A value at its start can be the whole origin. */
function assertAbsolute(baseUrl: string | undefined): void {
  const example = baseUrl?.replace(/^\{account\.[\w-]+\}/, 'https://host').replace(/\{account\.[\w-]+\}/g, 'value');
  if (example === undefined || /^https?:$/.test(URL.parse(example)?.protocol ?? '')) return;
  throw new GatewayError('SERVER_REQUIRED', 'baseUrl is not an absolute address that begins with https:// or http://.');
}

async function assertDestination({ outbound }: Pick<Gateway, 'outbound'>, address: string): Promise<void> {
  try {
    await outbound.checkDestination(address);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    throw new GatewayError('ADDRESS_NOT_ALLOWED', `${originOf(address)} may not be called. ${error.message}`);
  }
}

function originOf(address: string): string {
  return URL.parse(address)?.origin ?? 'The address';
}

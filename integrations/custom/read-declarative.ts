import { createHash } from 'node:crypto';
import { GatewayError } from '../../domain/errors.ts';
import { checkAccount } from '../declarative/check-actions.ts';
import type { ActionDocument, ProviderDocument } from '../declarative/document.ts';
import { invalidAt, readDocument } from '../declarative/read-document.ts';
import { storable } from './document-texts.ts';
import type { ImportReport } from './import-report.ts';
import type { ImportedAction, ImportedIntegration } from './imported-integration.ts';
import type { Imported, ImportInput } from './importer.ts';
import { packIntegration } from './pack-integration.ts';
import { isSelected } from './select.ts';

type Said = Pick<ImportInput, 'select' | 'auth' | 'baseUrl' | 'displayName' | 'description' | 'categories' | 'logoUrl'>;

/**
 * Reads a declarative document (import contract 6). Throws DOCUMENT_INVALID, DOCUMENT_TOO_COMPLEX
 * and NOTHING_TO_IMPORT.
 */
export function readDeclarative(given: unknown, said: Said): Imported {
  const document = storable(readDocument(given)) as ProviderDocument;
  const { actions, verification: _, setup: __, ...rest } = document;
  const all = Object.entries(actions).map(([name, action]) => toImported(name, action));
  const chosen = all.filter(({ name, source }) => isSelected({ ...source, operationId: name }, said.select));
  if (chosen.length === 0) throw new GatewayError('NOTHING_TO_IMPORT', 'The selection names no action of the document.');
  const imported: ImportedIntegration = { ...rest, ...overrides(said, document), actions: chosen };
  // Addresses in imported documents must not contain a secret, unlike those of our own providers.
  const problems = checkAccount(imported);
  if (problems.length > 0) throw invalidAt(problems);
  const { packed, notes } = packIntegration(imported);
  const left = all.filter((action) => !chosen.includes(action));
  const report: ImportReport = {
    operations: all.length,
    imported: chosen.length,
    typed: chosen.length,
    leftOut: left.map(({ name }) => ({ operation: name, reason: 'not_selected', message: 'The selection does not include it.' })),
    leftOutCount: left.length,
    notes,
    noteCount: notes.length,
  };
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  const documentHash = createHash('sha256').update(text).digest('hex');
  return { integration: packed, report, source: { format: 'declarative-1', documentVersion: null, documentHash } };
}

function toImported(name: string, action: ActionDocument): ImportedAction {
  const { method = 'GET', path = '/' } = action.request ?? {};
  return { name, ...action, source: { operation: `${method} ${path}`, operationId: name }, categoryFrom: 'document' };
}

function overrides({ auth, baseUrl, displayName, description, categories, logoUrl }: Said, document: ProviderDocument) {
  return {
    ...{ auth: auth === undefined ? document.auth : auth, baseUrl: baseUrl ?? document.baseUrl },
    ...{ displayName: displayName ?? document.displayName, description: description ?? document.description },
    ...{ categories: categories ?? document.categories },
    ...(logoUrl !== undefined && { logoUrl }),
  };
}

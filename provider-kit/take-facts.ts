import { readFileSync } from 'node:fs';
import type { ActionDocument, ProviderDocument } from '../integrations/declarative/document.ts';
import { parseDocumentText } from '../integrations/declarative/document-text.ts';
import { botocoreOperations, type ServiceModel } from './botocore-model.ts';
import { factProblems, pathOf } from './compare-facts.ts';
import { discoveryOperations } from './google-discovery.ts';
import { type Facts, isSamePath, type OperationFacts, operationsOf, plainPath } from './read-facts.ts';

/** Takes the facts of each action from an API document. `today`: the date of the facts. */
export function takeFacts(provider: ProviderDocument, file: string, source: Facts['source'], today: string): Facts {
  const text = readFileSync(file, 'utf8');
  const document = (file.endsWith('.json') ? JSON.parse(text) : parseDocumentText(text)) as Record<string, unknown>;
  const known = readOperations(document);
  const operations = Object.entries(provider.actions).map(([name, action]) => {
    const path = pathOf(provider, action);
    const method = action.request?.method ?? 'GET';
    const same = known.filter((operation) => operation.method === method && isSamePath(operation.path, path));
    const exact = same.filter((operation) => plainPath(operation.path) === plainPath(path));
    return [name, action.request ? nearest(provider, action, exact.length > 0 ? exact : same) : null] as const;
  });
  return { source, takenAt: today, operations: Object.fromEntries(operations) };
}

function readOperations(document: Record<string, unknown>): OperationFacts[] {
  if ('discoveryVersion' in document) return discoveryOperations(document);
  return 'shapes' in document ? botocoreOperations(document as unknown as ServiceModel) : operationsOf(document);
}

/**
 * Returns the operation with the fewest differences from the action. Operations of S3 share a path
 * and differ only in parameters.
 */
function nearest(provider: ProviderDocument, action: ActionDocument, operations: readonly OperationFacts[]): OperationFacts | null {
  const counted = operations.map((operation) => ({ operation, count: factProblems(provider, action, operation).length }));
  return counted.sort((a, b) => a.count - b.count)[0]?.operation ?? null;
}

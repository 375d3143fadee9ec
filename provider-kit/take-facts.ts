import { readFileSync } from 'node:fs';
import type { ProviderDocument } from '../integrations/declarative/document.ts';
import { parseDocumentText } from '../integrations/declarative/document-text.ts';
import { pathOf } from './compare-facts.ts';
import { discoveryOperations } from './google-discovery.ts';
import { type Facts, isSamePath, operationsOf, plainPath } from './read-facts.ts';

/**
 * Takes what a test needs from a package's document of the API: of each action the operation of the
 * same method and path.
 */
export function takeFacts(provider: ProviderDocument, file: string, source: Facts['source'], today: string): Facts {
  const text = readFileSync(file, 'utf8');
  const document = (file.endsWith('.json') ? JSON.parse(text) : parseDocumentText(text)) as Record<string, unknown>;
  const known = 'discoveryVersion' in document ? discoveryOperations(document) : operationsOf(document);
  const operations = Object.entries(provider.actions).map(([name, action]) => {
    const path = pathOf(provider, action);
    const method = action.request?.method ?? 'GET';
    const same = known.filter((operation) => operation.method === method && isSamePath(operation.path, path));
    const exact = same.find((operation) => plainPath(operation.path) === plainPath(path));
    return [name, action.request ? (exact ?? same[0] ?? null) : null] as const;
  });
  return { source, takenAt: today, operations: Object.fromEntries(operations) };
}

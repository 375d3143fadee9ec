import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { ServiceOutbound } from '../../../../domain/outbound.ts';
import { importDocument } from '../../../../integrations/custom/import-document.ts';
import type { ImportInput } from '../../../../integrations/custom/importer.ts';

/** Imports a document in a thread, as the service does. Every address is allowed. */
export function importOpenapi(document: unknown, input: Partial<ImportInput> = {}) {
  const outbound = { checkDestination: async () => {} } as unknown as ServiceOutbound;
  const context = {
    outbound,
    withSlot: <R>(_: unknown, work: () => Promise<R>) => work(),
    signal: AbortSignal.timeout(100_000),
    names: new Map<string, string>(),
  };
  return importDocument('openapi', document, { name: 'tested', ...input }, context);
}

/** The text of a public document. `test/fixtures/openapi/sources.json` names its source. */
export function publicDocument(name: string): string {
  return brotliDecompressSync(readFileSync(join(import.meta.dirname, '../../../fixtures/openapi', `${name}.json.br`))).toString();
}

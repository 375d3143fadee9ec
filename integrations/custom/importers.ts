import { fetchDocument } from './fetch-document.ts';
import { importDocument } from './import-document.ts';
import type { Importer, Importers } from './importer.ts';
import { importMcp } from './mcp/import-mcp.ts';

/** The importers of the service. */
export const IMPORTERS: Importers = {
  mcp: importMcp,
  openapi: documentImporter('openapi'),
  declarative: documentImporter('declarative'),
};

/**
 * Imports a document that was sent, or fetches it. Addresses in a fetched document can be relative
 * to its address after redirects.
 */
function documentImporter(kind: 'openapi' | 'declarative'): Importer {
  return async (input, context) => {
    if (input.url === undefined) return importDocument(kind, input.document, input, context);
    const { body, url } = await fetchDocument({ ...input, url: input.url }, context);
    return importDocument(kind, body, { ...input, url }, context);
  };
}

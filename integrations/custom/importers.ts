import { fetchDocument } from './fetch-document.ts';
import { importDocument } from './import-document.ts';
import type { Importer, Importers } from './importer.ts';
import { importMcp } from './mcp/import-mcp.ts';

/** The importers of the service. To add a kind, add a line here. */
export const IMPORTERS: Importers = {
  mcp: importMcp,
  openapi: documentImporter('openapi'),
  declarative: documentImporter('declarative'),
};

/**
 * Returns an importer of documents. It imports the document that was sent, or fetches the document
 * at `url`. Addresses in a fetched document can be relative to its address after redirects.
 */
function documentImporter(kind: 'openapi' | 'declarative'): Importer {
  return async (input, context) => {
    if (input.url === undefined) return importDocument(kind, input.document, input, context);
    const { body, url } = await fetchDocument({ ...input, url: input.url }, context);
    return importDocument(kind, body, { ...input, url }, context);
  };
}

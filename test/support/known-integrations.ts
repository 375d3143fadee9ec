import { type CatalogIntegration, openCatalog } from '../../integrations/catalog.ts';

const NAMES = new Set(
  `advanced-code agent-memory agent-scratchpad amazon-s3 clicksend code data-transformer datetime discord github graphql hash-encode http
  kv-store openai sequential-thinking slack storage web-reader`.split(/\s+/),
);

/** Part of the catalogue. It stays fixed, so that the results of searches stay comparable. */
export function knownIntegrations(): CatalogIntegration[] {
  return openCatalog()
    .list()
    .filter(({ name }) => NAMES.has(name));
}

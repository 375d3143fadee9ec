import type { CustomIntegration } from '../../domain/custom-integrations/custom-integration.ts';
import type { ImportInput } from '../../integrations/custom/importer.ts';
import type { Gateway } from '../gateway.ts';

/** Headers and credentials of the requests that read the source of a custom integration. */
export type FetchSecrets = Pick<ImportInput, 'headers' | 'fetchAuth'>;

/** Encrypts the secrets for the row of the integration; null if there are none. */
export async function sealFetchSecrets(
  gateway: Gateway,
  place: Pick<CustomIntegration, 'orgId' | 'id'>,
  { headers, fetchAuth }: FetchSecrets,
): Promise<Buffer | null> {
  if (headers === undefined && fetchAuth === undefined) return null;
  return gateway.vault.seal(gateway.db, sealedPlace(place), JSON.stringify({ headers, fetchAuth }));
}

/** Decrypts the secrets. Call this only to refresh, or to listen to the MCP server. */
export async function openFetchSecrets(gateway: Gateway, record: CustomIntegration): Promise<FetchSecrets> {
  if (record.sealedFetch === null) return {};
  return JSON.parse(await gateway.vault.open(gateway.db, sealedPlace(record), record.sealedFetch)) as FetchSecrets;
}

function sealedPlace({ orgId, id }: Pick<CustomIntegration, 'orgId' | 'id'>) {
  return { orgId, workspaceId: null, table: 'custom_integrations', column: 'sealed_fetch', rowId: id };
}

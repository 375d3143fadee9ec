import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Catalog, CatalogIntegration } from '../../integrations/catalog.ts';
import type { Gateway } from '../gateway.ts';

const begun = new WeakSet<Catalog>();

/**
 * Reads the files of all integrations of the service in the background. Otherwise the first list of
 * integrations would take some 400 ms of processor time.
 */
export async function readCatalogAhead({ catalog: { builtIn } }: Pick<Gateway, 'catalog'>): Promise<void> {
  if (begun.has(builtIn)) return;
  begun.add(builtIn);
  for (const integration of builtIn.list()) {
    readActions(integration);
    await nextTurn(undefined, { ref: false });
  }
}

/** The getter `actions` reads the file of the integration. */
function readActions({ actions }: CatalogIntegration): number {
  return actions.size;
}

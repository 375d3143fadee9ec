import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Catalog, CatalogIntegration } from '../../integrations/catalog.ts';
import type { Gateway } from '../gateway.ts';

const begun = new WeakSet<Catalog>();

/**
 * Reads the files of all integrations of the service in the background, once. Each is otherwise
 * read when it is first used, and the first list of all would wait for some 400 ms of processor
 * time. One file in a turn of the event loop, so no other request waits long.
 */
export async function readCatalogAhead({ catalog: { builtIn } }: Pick<Gateway, 'catalog'>): Promise<void> {
  if (begun.has(builtIn)) return;
  begun.add(builtIn);
  for (const integration of builtIn.list()) {
    readActions(integration);
    await nextTurn(undefined, { ref: false });
  }
}

/** The getter reads the file. */
function readActions({ actions }: CatalogIntegration): number {
  return actions.size;
}

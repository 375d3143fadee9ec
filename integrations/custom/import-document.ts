import { GatewayError } from '../../domain/errors.ts';
import type { ServiceOutbound } from '../../domain/outbound.ts';
import { encodeText } from '../../infra/event-loop/encode-text.ts';
import { joinShared } from '../../infra/event-loop/join-bytes.ts';
import { assertSize } from './document-size.ts';
import type { DocumentTask } from './document-task.ts';
import type { ImportContext, Imported, ImportInput } from './importer.ts';
import { readInThread } from './read-in-thread.ts';

/**
 * Reads a document in a separate thread. `document`: bytes in UTF-8, a text, or an object. Throws
 * the errors of import contract 2.
 */
export async function importDocument(
  kind: DocumentTask['kind'],
  document: unknown,
  { url, select, auth, baseUrl, serverVariables, displayName, description, categories, logoUrl }: ImportInput,
  { outbound, withSlot, signal, names }: ImportContext,
): Promise<Imported> {
  const input = { url, select, auth, baseUrl, serverVariables, displayName, description, categories, logoUrl };
  const reach = { withSlot, signal, refused: (urls: readonly string[]) => refusedOf(outbound, urls) };
  return readInThread({ kind, document: await shareable(document), input, names: [...names] }, reach);
}

/**
 * Puts bytes or a text into shared memory, which a thread reads without a copy. Throws
 * DOCUMENT_TOO_LARGE.
 */
async function shareable(document: unknown): Promise<unknown> {
  if (document instanceof Uint8Array) {
    assertSize(document.length);
    return joinShared([document]);
  }
  if (typeof document !== 'string') return document;
  assertSize(document.length);
  const chunks: Uint8Array[] = [];
  for await (const chunk of encodeText(document)) chunks.push(chunk);
  assertSize(chunks.reduce((sum, { length }) => sum + length, 0));
  return joinShared(chunks);
}

/** Returns the addresses that may not be called, among them those of the service itself. */
async function refusedOf(outbound: Pick<ServiceOutbound, 'checkDestination'>, urls: readonly string[]): Promise<string[]> {
  const judged = await Promise.all(
    urls.map((url) =>
      outbound.checkDestination(url).then(
        () => [],
        (error) => {
          if (error instanceof GatewayError) return [url];
          throw error;
        },
      ),
    ),
  );
  return judged.flat();
}

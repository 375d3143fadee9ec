import { GatewayError } from '../../domain/errors.ts';
import { DOCUMENT_MAX_BYTES } from '../../domain/limits.ts';

/** Throws DOCUMENT_TOO_LARGE for a text or for bytes; an object is measured where it is read. */
export function assertSize(document: unknown): void {
  const bytes = typeof document === 'string' ? Buffer.byteLength(document) : document instanceof Uint8Array ? document.length : 0;
  if (bytes > DOCUMENT_MAX_BYTES) throw new GatewayError('DOCUMENT_TOO_LARGE', `The document is larger than ${DOCUMENT_MAX_BYTES} bytes.`);
}

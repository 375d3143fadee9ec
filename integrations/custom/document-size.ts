import { GatewayError } from '../../domain/errors.ts';
import { DOCUMENT_MAX_BYTES } from '../../domain/limits.ts';

/** Throws DOCUMENT_TOO_LARGE above the limit. `bytes`: length in UTF-8. */
export function assertSize(bytes: number): void {
  if (bytes > DOCUMENT_MAX_BYTES) throw new GatewayError('DOCUMENT_TOO_LARGE', `The document is larger than ${DOCUMENT_MAX_BYTES} bytes.`);
}

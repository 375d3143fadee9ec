import type { ErrorCode } from '../../domain/errors.ts';
import type { ImportedPart } from './imported-parts.ts';
import type { Imported } from './importer.ts';
import type { OpenapiInput } from './openapi/read-openapi.ts';

/** A document for a thread to read. */
export interface DocumentTask {
  kind: 'openapi' | 'declarative';
  /** Bytes in UTF-8, or an object. */
  document: unknown;
  input: OpenapiInput;
  /** Names of the current actions, by operation. */
  names: readonly (readonly [operation: string, name: string])[];
}

/**
 * A message of the thread. The main thread answers each `judge` and each part. The last message is
 * the result.
 */
export type DocumentAnswer =
  | ImportedPart
  | { kind: 'imported'; imported: Imported }
  | { kind: 'refused'; code: ErrorCode; message: string; details: Record<string, unknown> | undefined }
  /** Asks which of `urls` may not be called. */
  | { kind: 'judge'; urls: readonly string[] }
  /** A fault of the service. */
  | { kind: 'failed'; stack: string };

import type { ErrorCode } from '../../domain/errors.ts';
import type { ImportedPart } from './imported-parts.ts';
import type { Imported } from './importer.ts';
import type { OpenapiInput } from './openapi/read-openapi.ts';

/** What a thread is asked to read. */
export interface DocumentTask {
  kind: 'openapi' | 'declarative';
  /** Bytes in UTF-8, or the object itself. */
  document: unknown;
  input: OpenapiInput;
  /** Names of current actions by their operation. */
  names: readonly (readonly [operation: string, name: string])[];
}

/** A message from the thread: questions (`judge`) and parts, each answered, then one result. */
export type DocumentAnswer =
  | ImportedPart
  | { kind: 'imported'; imported: Imported }
  | { kind: 'refused'; code: ErrorCode; message: string; details: Record<string, unknown> | undefined }
  /** Asks which of these addresses may not be called. */
  | { kind: 'judge'; urls: readonly string[] }
  /** An error in the service. */
  | { kind: 'failed'; stack: string };

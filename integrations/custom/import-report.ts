/** Why an operation or a tool was left out (import contract 1). */
export type LeftOutReason =
  | 'not_selected'
  | 'remote_reference'
  | 'broken_reference'
  | 'unsupported_media_type'
  | 'unsupported_security'
  | 'foreign_server'
  | 'address_not_allowed'
  | 'unsafe_path'
  | 'invalid_operation'
  | 'too_large';

/**
 * What was imported and what was left out (import contract 1). Callers get at most 500 entries of
 * each list.
 */
export interface ImportReport {
  /** Number of operations or tools in the document. */
  operations: number;
  imported: number;
  /** Number of actions whose inputs and outputs all have types. For a tool, only inputs count. */
  typed: number;
  leftOut: readonly { operation: string; reason: LeftOutReason; message: string }[];
  leftOutCount: number;
  notes: readonly ImportNote[];
  noteCount: number;
}

/** Something that an administrator should know, such as a schema that was cut. */
export interface ImportNote {
  operation: string;
  code: string;
  message: string;
}

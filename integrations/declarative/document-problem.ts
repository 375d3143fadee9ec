import type { Path } from '../schema/evaluation.ts';

/** A problem of a document: its path, and a message with the expected value. */
export interface DocumentProblem {
  path: Path;
  message: string;
  /** Whether the problem is the key at the path, rather than the value. */
  ofKey?: boolean;
}

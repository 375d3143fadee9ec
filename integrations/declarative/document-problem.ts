import type { Path } from '../schema/evaluation.ts';

/** A problem of a document. */
export interface DocumentProblem {
  path: Path;
  message: string;
  /** Whether the key at the path is wrong, not the value. */
  ofKey?: boolean;
}

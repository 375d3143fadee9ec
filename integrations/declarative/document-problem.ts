import type { Path } from '../schema/evaluation.ts';

/** A problem of a document: its place, and what is expected instead. */
export interface DocumentProblem {
  path: Path;
  message: string;
  /** Whether the place is a key, not its value. */
  ofKey?: boolean;
}

import {
  type ChangeSummary,
  countDifferences,
  differencesAsJson,
  summarizeDifferences,
} from '../../../domain/custom-integrations/present-differences.ts';
import { type ChangeContent, compareDefinitions, differencesOf, digestOf } from './change-content.ts';

/** A task: to summarize several changes, or to read a page of the differences of one change. */
export type Comparison = SummaryTask | PageTask;

interface Definitions {
  /** JSON of the shared schemas, by hash. */
  definitions: ReadonlyMap<string, string>;
}

interface SummaryTask extends Definitions {
  kind: 'summaries';
  changes: readonly ChangeContent[];
}

export interface PageTask extends Definitions {
  kind: 'page';
  change: ChangeContent;
  /** The base URL that an added action inherits. */
  inheritedUrl: string | undefined;
  offset: number;
  limit: number;
}

/** A change as lists show it, with the digest of its whole content. */
export interface ComparedChange extends ChangeSummary {
  contentDigest: string;
}

/** A page of the differences of one change. */
export interface DifferencePage {
  /** JSON of the fields that differ, with uncut values. */
  text: string;
  total: number;
}

/** The answer of a task. */
export type Compared<Task extends Comparison> = Task extends SummaryTask ? ComparedChange[] : DifferencePage;

/** Runs a task. Compares each pair of shared schemas once. */
export function compare<Task extends Comparison>(task: Task): Compared<Task>;
export function compare(task: Comparison): ComparedChange[] | DifferencePage {
  const definitions = compareDefinitions(task.definitions);
  if (task.kind === 'summaries')
    return task.changes.map((change) => ({
      ...summarizeDifferences(differencesOf(change, definitions)),
      contentDigest: digestOf(change),
    }));
  const parts = differencesOf(task.change, definitions, task.inheritedUrl);
  return { text: differencesAsJson(parts, task), total: countDifferences(parts) };
}

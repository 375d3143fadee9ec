import type { ImportContext } from '../importer.ts';
import { runInThread, type Thread } from '../run-in-thread.ts';
import type { ChangeContent } from './change-content.ts';
import { type Compared, type Comparison, compare } from './comparison.ts';

/** In characters of JSON. Shorter changes are compared on this thread, in about a millisecond. */
const INLINE_MAX_LENGTH = 64 * 1024;

const THREAD = new URL('./compare-thread.ts', import.meta.url);

/**
 * Compares changes, in a separate thread if they are large. Rejects with DOCUMENT_TOO_COMPLEX if
 * the thread exceeds its limits, and with the errors of `withSlot`.
 */
export async function compareChanges<Task extends Comparison>(
  task: Task,
  { signal, withSlot }: Pick<ImportContext, 'signal' | 'withSlot'>,
): Promise<Compared<Task>> {
  if (lengthOf(task) <= INLINE_MAX_LENGTH) return compare(task);
  const onMessage = (compared: Compared<Task>, thread: Thread<Compared<Task>>) => thread.end(compared);
  return withSlot('comparison', () => runInThread({ file: THREAD, task, signal, onMessage }));
}

function lengthOf(task: Comparison): number {
  const changes = task.kind === 'summaries' ? task.changes : [task.change];
  const ofSides = changes.flatMap(sidesOf).reduce((sum, { text }) => sum + text.length, 0);
  return [...task.definitions.values()].reduce((sum, text) => sum + text.length, ofSides);
}

function sidesOf({ before, after }: ChangeContent) {
  return [before, after].filter((side) => side !== null);
}

import { type ActionContext, ActionError } from '../../definition.ts';
import { StoppedError } from '../run-briefly.ts';
import { openThreads } from '../worker-threads.ts';
import { type DataTask, performDataTask, tookTooLong } from './data-task.ts';
import type { DataAnswer } from './data-worker.ts';

/** A task that takes longer on the main thread is restarted in a worker thread. */
const AT_ONCE_MS = 8;
/** Includes starting the thread, which a busy machine delays. */
const DEADLINE_SECONDS = 20;
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

const onThread = openThreads<string, DataAnswer>(
  new URL('./data-worker.ts', import.meta.url),
  { memory: MEMORY, deadlineSeconds: DEADLINE_SECONDS },
  (answer) => 'result' in answer || answer.problem !== null,
);

/** Computes a task without blocking the event loop. Throws ActionError. */
export async function computeData(task: DataTask, { schedule, signal }: Pick<ActionContext, 'schedule' | 'signal'>): Promise<unknown> {
  try {
    return performDataTask(task, AT_ONCE_MS);
  } catch (error) {
    if (!(error instanceof StoppedError)) throw error;
  }
  const end = await schedule(async () => {
    signal.throwIfAborted();
    return onThread(JSON.stringify(task), signal);
  });
  if (end.kind === 'late') throw tookTooLong(task);
  if (end.kind === 'outOfMemory') throw new ActionError('The calculation needs too much memory. Simplify it, or give it less data.');
  if ('result' in end.answer) return JSON.parse(end.answer.result);
  throw new ActionError(end.answer.problem ?? 'The calculation failed.');
}

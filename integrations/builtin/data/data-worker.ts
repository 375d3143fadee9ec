import { parentPort } from 'node:worker_threads';
import { ActionError } from '../../definition.ts';
import { type DataTask, performDataTask } from './data-task.ts';

/** The result is JSON. A null problem means an unexpected error. */
export type DataAnswer = { result: string } | { problem: string | null };

// Messages are JSON texts, because cloning many small values costs the main thread much more.
parentPort?.on('message', (task: string) => {
  parentPort?.postMessage(answer(JSON.parse(task) as DataTask));
});

function answer(task: DataTask): DataAnswer {
  try {
    return { result: JSON.stringify(performDataTask(task)) };
  } catch (error) {
    return { problem: error instanceof ActionError ? error.message : null };
  }
}

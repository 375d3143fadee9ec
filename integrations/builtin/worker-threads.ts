import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface ThreadOptions {
  memory: { maxOldGenerationSizeMb: number; maxYoungGenerationSizeMb: number };
  deadlineSeconds: number;
}

/** For `late` and `outOfMemory`, the thread was ended. */
export type ThreadEnd<Answer> = { kind: 'answered'; answer: Answer } | { kind: 'late' } | { kind: 'outOfMemory' };

/**
 * Returns a function that runs tasks in a pool of worker threads. A task can cost any amount of
 * time and memory, because it comes from outside. A thread must answer each task with one message.
 * A thread ends if its task is aborted, takes too long or fails, or if `isSound`
 * refuses the answer.
 */
export function openThreads<Task, Answer>(file: URL, { memory, deadlineSeconds }: ThreadOptions, isSound: (answer: Answer) => boolean) {
  /**
   * Starting a thread takes much longer than most tasks, so an idle thread is kept. Its memory is
   * expensive too, so the thread ends after a while.
   */
  const idle = new Map<Worker, NodeJS.Timeout>();

  const start = (): Worker => {
    const worker = new Worker(file, { env: {}, execArgv: [], resourceLimits: memory });
    // An idle thread that fails must not end the process.
    return worker.on('error', () => {}).on('exit', () => idle.delete(worker));
  };

  const take = (): Worker => {
    const [kept] = idle;
    if (!kept) return start();
    const [worker, timer] = kept;
    clearTimeout(timer);
    idle.delete(worker);
    worker.ref();
    return worker;
  };

  const keep = (worker: Worker): void => {
    const giveUp = () => {
      idle.delete(worker);
      void worker.terminate();
    };
    worker.unref();
    idle.set(worker, setTimeout(giveUp, IDLE_SECONDS * 1000).unref());
  };

  /** Rejects with the reason of `signal`, or with the thread's error. */
  return async (task: Task, signal: AbortSignal): Promise<ThreadEnd<Answer>> => {
    const worker = take();
    const stop = AbortSignal.any([signal, AbortSignal.timeout(deadlineSeconds * 1000)]);
    let isKept = false;
    try {
      const answered = once(worker, 'message', { signal: stop });
      worker.postMessage(task);
      const [answer] = (await answered) as [Answer];
      isKept = isSound(answer);
      return { kind: 'answered', answer };
    } catch (error) {
      signal.throwIfAborted();
      if (stop.aborted) return { kind: 'late' };
      if ((error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY') return { kind: 'outOfMemory' };
      throw error;
    } finally {
      if (isKept) keep(worker);
      else await worker.terminate();
    }
  };
}

const IDLE_SECONDS = 10;

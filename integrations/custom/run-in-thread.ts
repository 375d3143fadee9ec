import { Worker } from 'node:worker_threads';
import { GatewayError } from '../../domain/errors.ts';

/** The limits of import contract 2: 500 MB in total, and 30 s. */
const MEMORY = { maxOldGenerationSizeMb: 450, maxYoungGenerationSizeMb: 50 };
const DEADLINE_SECONDS = 30;

interface ThreadWork<Message, Result> {
  file: URL;
  task: unknown;
  signal: AbortSignal;
  /**
   * For the last message, call `thread.end` or `thread.fail` before returning, because the thread
   * may exit.
   */
  onMessage(message: Message, thread: Thread<Result>): void;
}

/** The handle of a running thread. */
export interface Thread<Result> {
  answer(message: unknown): void;
  end(result: Result): void;
  fail(error: unknown): void;
}

/**
 * Runs one task in a separate thread, so that a hostile document cannot block the event loop.
 * Throws DOCUMENT_TOO_COMPLEX if the task exceeds its time or memory, is aborted, or exits.
 */
export async function runInThread<Message, Result>({ file, task, signal, onMessage }: ThreadWork<Message, Result>): Promise<Result> {
  const worker = new Worker(file, { env: {}, execArgv: [], resourceLimits: MEMORY });
  const stop = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_SECONDS * 1000)]);
  try {
    return await new Promise<Result>((resolve, reject) => {
      const giveUp = () => reject(tooComplex('takes too long to be read'));
      if (stop.aborted) giveUp();
      stop.addEventListener('abort', giveUp, { once: true });
      worker.on('error', (error) => reject(isOutOfMemory(error) ? tooComplex('needs more than 500 MB') : error));
      worker.on('exit', () => reject(tooComplex('cannot be read')));
      worker.on('messageerror', reject);
      const thread: Thread<Result> = { answer: (message) => worker.postMessage(message), end: resolve, fail: reject };
      worker.on('message', (message: Message) => onMessage(message, thread));
      worker.postMessage(task);
    });
  } finally {
    await worker.terminate();
  }
}

function isOutOfMemory(error: unknown): boolean {
  return (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooComplex(why: string): GatewayError {
  return new GatewayError('DOCUMENT_TOO_COMPLEX', `The document ${why}.`);
}

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type ActionContext, ActionError } from '../definition.ts';
import type { Article } from './web-reader-article.ts';
import type { readLinks } from './web-reader-links.ts';
import type { MarkdownOptions } from './web-reader-markdown.ts';
import type { readStructuredData } from './web-reader-structured.ts';

/** A page, the address that it came from, and what is wanted of it. */
export type PageTask = {
  html: string;
  url: string;
  task:
    | ({ kind: 'markdown' } & MarkdownOptions)
    | { kind: 'text' }
    | { kind: 'links'; filterPattern?: string | undefined }
    | { kind: 'structured' };
};

export type ReadArticle = Omit<Article, 'content'> & { content: string };
export interface PageResults {
  markdown: ReadArticle;
  text: ReadArticle;
  links: ReturnType<typeof readLinks>;
  structured: ReturnType<typeof readStructuredData>;
}

const DEADLINE_SECONDS = 8;
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

/**
 * Reads HTML in a thread beside this one, because a page can be written that takes its parser minutes, more memory than there is, or the
 * whole stack. Throws ActionError where that happens; the thread is given up then.
 */
export function parsePage<Kind extends keyof PageResults>(
  page: { html: string; url: string },
  task: PageTask['task'] & { kind: Kind },
  { inTurn, signal }: Pick<ActionContext, 'inTurn' | 'signal'>,
): Promise<PageResults[Kind]> {
  return inTurn(async () => {
    signal.throwIfAborted();
    const answer = await ask({ ...page, task }, signal);
    if ('result' in answer) return answer.result as PageResults[Kind];
    throw new ActionError(answer.problem ?? 'The page could not be read: its HTML is too unusual.');
  });
}

/** A problem that is null is one that nobody foresaw. */
export type PageAnswer = { result: unknown } | { problem: string | null };

async function ask(task: PageTask, signal: AbortSignal): Promise<PageAnswer> {
  const worker = takeThread();
  const stop = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_SECONDS * 1000)]);
  let isSound = false;
  try {
    const answered = once(worker, 'message', { signal: stop });
    worker.postMessage(task);
    const [answer] = (await answered) as [PageAnswer];
    isSound = 'result' in answer || answer.problem !== null;
    return answer;
  } catch (error) {
    signal.throwIfAborted();
    if (stop.aborted) return { problem: `Reading the page took longer than ${DEADLINE_SECONDS} s and was stopped.` };
    if ((error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY') return { problem: 'The page is too large to be read.' };
    throw error;
  } finally {
    if (isSound) keepThread(worker);
    else await worker.terminate();
  }
}

/** Starting a thread takes much longer than reading most pages, so that the next page finds one; memory at rest is worth more than that. */
const IDLE_SECONDS = 10;
const idle = new Map<Worker, NodeJS.Timeout>();

function takeThread(): Worker {
  const [kept] = idle;
  if (!kept) return startThread();
  const [worker, timer] = kept;
  clearTimeout(timer);
  idle.delete(worker);
  worker.ref();
  return worker;
}

function startThread(): Worker {
  const file = new URL('./web-reader-worker.ts', import.meta.url);
  const worker = new Worker(file, { env: {}, execArgv: [], resourceLimits: MEMORY });
  // One that fails while nobody waits for it must not end the process, nor be asked again.
  return worker.on('error', () => {}).on('exit', () => idle.delete(worker));
}

function keepThread(worker: Worker): void {
  const giveUp = () => {
    idle.delete(worker);
    void worker.terminate();
  };
  worker.unref();
  idle.set(worker, setTimeout(giveUp, IDLE_SECONDS * 1000).unref());
}

import { type ActionContext, ActionError } from '../../definition.ts';
import { openThreads } from '../worker-threads.ts';
import type { Article } from './article.ts';
import type { readLinks } from './links.ts';
import type { MarkdownOptions } from './markdown.ts';
import type { readStructuredData } from './structured.ts';

/** The HTML of a page, its address, and what to read from it. */
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
 * Parses HTML in a worker thread, because a hostile page can take minutes, exhaust the memory or
 * overflow the stack. Throws ActionError if the page cannot be read.
 */
export function parsePage<Kind extends keyof PageResults>(
  page: { html: string; url: string },
  task: PageTask['task'] & { kind: Kind },
  { schedule, signal }: Pick<ActionContext, 'schedule' | 'signal'>,
): Promise<PageResults[Kind]> {
  return schedule(async () => {
    signal.throwIfAborted();
    const answer = await ask({ ...page, task }, signal);
    if ('result' in answer) return answer.result as PageResults[Kind];
    throw new ActionError(answer.problem ?? 'The page could not be read: its HTML is too unusual.');
  });
}

/** A null problem means an unexpected error. */
export type PageAnswer = { result: unknown } | { problem: string | null };

async function ask(task: PageTask, signal: AbortSignal): Promise<PageAnswer> {
  const end = await onThread(task, signal);
  if (end.kind === 'answered') return end.answer;
  if (end.kind === 'outOfMemory') return { problem: 'The page is too large to be read.' };
  return { problem: `Reading the page took longer than ${DEADLINE_SECONDS} s and was stopped.` };
}

const onThread = openThreads<PageTask, PageAnswer>(
  new URL('./worker.ts', import.meta.url),
  { memory: MEMORY, deadlineSeconds: DEADLINE_SECONDS },
  (answer) => 'result' in answer || answer.problem !== null,
);

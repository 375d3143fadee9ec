import { parentPort } from 'node:worker_threads';
import { readArticle } from './article.ts';
import { openPage } from './document.ts';
import { readLinks } from './links.ts';
import { toMarkdown } from './markdown.ts';
import { PageError } from './page.ts';
import type { PageAnswer, PageTask } from './parse-page.ts';
import { readStructuredData } from './structured.ts';
import { toPlainText } from './text.ts';

parentPort?.on('message', async (page: PageTask) => {
  parentPort?.postMessage(await answer(page));
});

async function answer(page: PageTask): Promise<PageAnswer> {
  try {
    return { result: await perform(page) };
  } catch (error) {
    return { problem: error instanceof PageError ? error.message : null };
  }
}

async function perform({ html, url, task }: PageTask) {
  switch (task.kind) {
    case 'markdown': {
      const article = await readArticle(html, url);
      return { ...aboutOf(article), content: await toMarkdown(article, task) };
    }
    case 'text': {
      const article = await readArticle(html, url);
      return { ...aboutOf(article), content: toPlainText(article.content) };
    }
    case 'links':
      return readLinks(await openPage(html, url), task.filterPattern);
    case 'structured':
      return readStructuredData(await openPage(html, url));
  }
}

function aboutOf({ content: _, ...about }: Awaited<ReturnType<typeof readArticle>>) {
  return about;
}

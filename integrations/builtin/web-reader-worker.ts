import { parentPort } from 'node:worker_threads';
import type { PageAnswer, PageTask } from './parse-page.ts';
import { readArticle } from './web-reader-article.ts';
import { openPage } from './web-reader-document.ts';
import { readLinks } from './web-reader-links.ts';
import { toMarkdown } from './web-reader-markdown.ts';
import { PageError } from './web-reader-page.ts';
import { readStructuredData } from './web-reader-structured.ts';
import { toPlainText } from './web-reader-text.ts';

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

import { type Article, TITLE_MAX_LENGTH } from './article.ts';
import { lineOf, type PageElement } from './page.ts';

export interface MarkdownOptions {
  includeLinks: boolean;
  includeImages: boolean;
}

/**
 * Converts an article to Markdown. The title is added unless the article has a first-level heading
 * of its own.
 */
export async function toMarkdown({ title, content }: Article, { includeLinks, includeImages }: MarkdownOptions): Promise<string> {
  const { default: Turndown } = await import('turndown');
  const turndown = new Turndown({
    ...{ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-', hr: '---' },
    blankReplacement: (_, node) => (isCell(node) ? '  |' : (node as { isBlock?: boolean }).isBlock ? '\n\n' : ''),
  });
  turndown.remove(['title', 'script', 'style', 'noscript', 'iframe']);
  turndown.addRule('cells', { filter: ['th', 'td'], replacement: (text) => ` ${text.replace(/\s+/g, ' ').trim()} |` });
  turndown.addRule('rows', { filter: 'tr', replacement: (text, node) => `\n|${text}${lineBelow(node as unknown as PageElement)}` });
  turndown.addRule('tables', { filter: 'table', replacement: (text) => `\n\n${text.replace(/\n{2,}/g, '\n').trim()}\n\n` });
  if (!includeLinks) turndown.addRule('links', { filter: 'a', replacement: (text) => text });
  if (!includeImages) turndown.addRule('images', { filter: 'img', replacement: () => '' });
  const needsTitle = title !== '' && (removeTitle(title, content) || !content.querySelector('h1'));
  const markdown = turndown.turndown(content as never).trim();
  return needsTitle ? `# ${title}\n\n${markdown}`.trim() : markdown;
}

/**
 * Removes a heading that repeats the title, and returns whether there was one. Checks second-level
 * headings too, because the extraction of the main part changes the level.
 */
function removeTitle(title: string, content: PageElement): boolean {
  const isTitle = ({ textContent }: PageElement) => lineOf(textContent, TITLE_MAX_LENGTH).toLowerCase() === title.toLowerCase();
  const heading = [...content.querySelectorAll('h1, h2')].find(isTitle);
  heading?.remove();
  return heading !== undefined;
}

function isCell(node: unknown): boolean {
  return /^t[hd]$/.test((node as PageElement).localName);
}

/** A line below the first row makes this row the header. */
function lineBelow(row: PageElement): string {
  if (tableOf(row)?.querySelector('tr') !== row) return '';
  return `\n|${' --- |'.repeat([...row.children].length)}`;
}

function tableOf(row: PageElement): PageElement | undefined {
  const parent = row.parentNode as PageElement | null;
  return (parent?.localName === 'table' ? parent : parent?.parentNode) as PageElement | undefined;
}

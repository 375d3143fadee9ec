import type { Article } from './web-reader-article.ts';
import type { PageElement } from './web-reader-page.ts';

export interface MarkdownOptions {
  includeLinks: boolean;
  includeImages: boolean;
}

/** An article as Markdown, under its title. Without links their text stays, of images nothing does. */
export async function toMarkdown({ title, content }: Article, { includeLinks, includeImages }: MarkdownOptions): Promise<string> {
  const { default: Turndown } = await import('turndown');
  const turndown = new Turndown({
    ...{ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-', hr: '---' },
    blankReplacement: (_, node) => (isCell(node) ? '  |' : (node as { isBlock?: boolean }).isBlock ? '\n\n' : ''),
  });
  turndown.remove(['script', 'style', 'noscript', 'iframe']);
  turndown.addRule('cells', { filter: ['th', 'td'], replacement: (text) => ` ${text.replace(/\s+/g, ' ').trim()} |` });
  turndown.addRule('rows', { filter: 'tr', replacement: (text, node) => `\n|${text}${lineBelow(node as unknown as PageElement)}` });
  turndown.addRule('tables', { filter: 'table', replacement: (text) => `\n\n${text.replace(/\n{2,}/g, '\n').trim()}\n\n` });
  if (!includeLinks) turndown.addRule('links', { filter: 'a', replacement: (text) => text });
  if (!includeImages) turndown.addRule('images', { filter: 'img', replacement: () => '' });
  const markdown = turndown.turndown(content as never).trim();
  return title === '' || /^# /m.test(markdown) ? markdown : `# ${title}\n\n${markdown}`.trim();
}

function isCell(node: unknown): boolean {
  return /^t[hd]$/.test((node as PageElement).localName);
}

/** The line that makes the first row of a table its heading. */
function lineBelow(row: PageElement): string {
  if (tableOf(row)?.querySelector('tr') !== row) return '';
  return `\n|${' --- |'.repeat([...row.children].length)}`;
}

function tableOf(row: PageElement): PageElement | undefined {
  const parent = row.parentNode as PageElement | null;
  return (parent?.localName === 'table' ? parent : parent?.parentNode) as PageElement | undefined;
}

import { openPage } from './document.ts';
import { absoluteUrl, lineOf, type Page, type PageDocument, type PageElement } from './page.ts';
import { toPlainText } from './text.ts';

/** `content` is the main part of a page. */
export interface Article {
  title: string;
  byline: string | null;
  siteName: string | null;
  excerpt: string | null;
  language: string | null;
  content: PageElement;
}

const ARTICLE_MIN_LENGTH = 500;

/** Reads the main part of a page, or the whole body if the main part is missing or short. */
export async function readArticle(html: string, url: string): Promise<Article> {
  const { Readability } = await import('@mozilla/readability');
  const page = await openPage(html, url);
  resolveAddresses(page);
  const title = titleOf(page.document);
  const language = page.document.documentElement?.getAttribute('lang') ?? null;
  const wholeLength = toPlainText(page.document.body).length;
  const reader = new Readability<PageElement>(page.document as never, { serializer: (node: unknown) => node as PageElement });
  const found = reader.parse();
  const article = {
    title,
    byline: lineOf(found?.byline, 500) || null,
    siteName: lineOf(found?.siteName, 500) || null,
    excerpt: lineOf(found?.excerpt, 1000) || null,
    language: lineOf(found?.lang ?? language, 50) || null,
  };
  const length = found?.content ? toPlainText(found.content).length : 0;
  if (found?.content && (length >= ARTICLE_MIN_LENGTH || length * 2 >= wholeLength)) return { ...article, content: found.content };
  // Parses the page again, because finding the main part has modified it.
  return { ...article, content: await wholeBody(html, url) };
}

export const TITLE_MAX_LENGTH = 500;

/** Returns the first title element (not of an SVG) or h1, whichever comes first. */
export function titleOf(document: PageDocument): string {
  const written = [...document.querySelectorAll('title, h1')].find(
    ({ localName, parentNode }) => localName === 'h1' || !isInSvg(parentNode),
  );
  return lineOf(written?.textContent, TITLE_MAX_LENGTH);
}

function isInSvg(parent: unknown): boolean {
  return (parent as PageElement | null)?.localName === 'svg';
}

async function wholeBody(html: string, url: string): Promise<PageElement> {
  const page = await openPage(html, url);
  resolveAddresses(page);
  for (const element of [...page.document.querySelectorAll(NOT_CONTENT)]) element.remove();
  return page.document.body;
}

const NOT_CONTENT = 'title, script, style, noscript, template, svg, iframe, object, embed, canvas, form, nav, dialog';

/** If an address is not http or https, the link loses its address, and the image is removed. */
function resolveAddresses({ document, baseUrl }: Page): void {
  for (const link of document.querySelectorAll('a[href]')) {
    const href = absoluteUrl(link.getAttribute('href'), baseUrl);
    if (href) link.setAttribute('href', href);
    else link.removeAttribute('href');
  }
  for (const image of [...document.querySelectorAll('img')]) {
    const source = absoluteUrl(image.getAttribute('src') ?? image.getAttribute('data-src'), baseUrl);
    if (source) image.setAttribute('src', source);
    else image.remove();
  }
}

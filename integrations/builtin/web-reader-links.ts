import { absoluteUrl, lineOf, type Page, PageError } from './web-reader-page.ts';

const MAX_LINKS = 1000;
const TEXT_MAX_LENGTH = 200;

/**
 * The web addresses that a page links to, each once, in the order of the page. `filterPattern` is a regular expression, or, where it
 * starts with `*`, which no regular expression does, a glob. Whoever calls this bounds its time.
 */
export function readLinks({ document, baseUrl }: Page, filterPattern: string | undefined) {
  const fits = readFilter(filterPattern);
  const texts = new Map<string, string>();
  for (const link of document.querySelectorAll('a[href], area[href]')) {
    const url = absoluteUrl(link.getAttribute('href'), baseUrl);
    if (!url || texts.get(url) || !fits(url)) continue;
    texts.set(
      url,
      lineOf(link.textContent, TEXT_MAX_LENGTH) || lineOf(link.getAttribute('aria-label') ?? link.getAttribute('alt'), TEXT_MAX_LENGTH),
    );
  }
  const links = [...texts].map(([url, text]) => ({ url, text, isExternal: new URL(url).host !== new URL(baseUrl).host }));
  return { links: links.slice(0, MAX_LINKS), total: links.length, truncated: links.length > MAX_LINKS };
}

function readFilter(pattern: string | undefined): (url: string) => boolean {
  if (pattern === undefined) return () => true;
  const source = pattern.startsWith('*') ? `^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$` : pattern;
  try {
    const expression = new RegExp(source, 'i');
    return (url) => expression.test(url);
  } catch {
    throw new PageError('filterPattern is neither a regular expression nor a glob such as *.pdf.');
  }
}

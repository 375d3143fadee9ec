import { ActionError } from '../../definition.ts';
import { runBriefly } from '../run-briefly.ts';
import { absoluteUrl, lineOf, type Page, PageError } from './page.ts';

const MAX_LINKS = 1000;
const TEXT_MAX_LENGTH = 200;
/** Time limit for all addresses: a bad pattern may take forever. */
const FILTER_MAX_MS = 500;

/**
 * Returns the web addresses that a page links to, each once, in the order of the page.
 * `filterPattern` is a regular expression or, if it starts with `*`, a glob. Throws PageError for a
 * bad pattern.
 */
export function readLinks({ document, baseUrl }: Page, filterPattern: string | undefined) {
  const found = [...document.querySelectorAll('a[href], area[href]')].map((link) => {
    return { link, url: absoluteUrl(link.getAttribute('href'), baseUrl) };
  });
  const fitting = fittingAddresses(new Set(found.flatMap(({ url }) => url ?? [])), filterPattern);
  const texts = new Map<string, string>();
  for (const { link, url } of found) {
    if (!url || texts.get(url) || !fitting.has(url)) continue;
    texts.set(
      url,
      lineOf(link.textContent, TEXT_MAX_LENGTH) || lineOf(link.getAttribute('aria-label') ?? link.getAttribute('alt'), TEXT_MAX_LENGTH),
    );
  }
  const links = [...texts].map(([url, text]) => ({ url, text, isExternal: new URL(url).host !== new URL(baseUrl).host }));
  return { links: links.slice(0, MAX_LINKS), total: links.length, truncated: links.length > MAX_LINKS };
}

function fittingAddresses(addresses: Set<string>, pattern: string | undefined): Set<string> {
  if (pattern === undefined) return addresses;
  const expression = readPattern(pattern);
  const filter = () => new Set([...addresses].filter((address) => expression.test(address)));
  try {
    return runBriefly(FILTER_MAX_MS, filter);
  } catch (error) {
    if (!(error instanceof ActionError)) throw error;
    throw new PageError(`filterPattern took longer than ${FILTER_MAX_MS} ms and was stopped. Simplify it.`);
  }
}

function readPattern(pattern: string): RegExp {
  const source = pattern.startsWith('*') ? `^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$` : pattern;
  try {
    return new RegExp(source, 'i');
  } catch {
    throw new PageError('filterPattern is neither a regular expression nor a glob such as *.pdf.');
  }
}

import { absoluteUrl, ELEMENT, type Page, type PageDocument, type PageElement, PageError, TEXT } from './page.ts';

const MAX_DEPTH = 250;

/**
 * Parses HTML. Adds a missing html element, head or body. Throws PageError for a page that is
 * nested too deeply.
 */
export async function openPage(html: string, url: string): Promise<Page> {
  const { parseHTML } = await import('linkedom');
  const parse = (text: string) => parseHTML(text).document as unknown as PageDocument;
  const document = parseWhole(html, parse);
  const root = document.documentElement as PageElement;
  assertShallow(root);
  gatherBody(document, root);
  const base = document.querySelector('base[href]')?.getAttribute('href') ?? null;
  return { document, baseUrl: absoluteUrl(base, url) ?? url };
}

function parseWhole(html: string, parse: (html: string) => PageDocument): PageDocument {
  const document = parse(html);
  const first = document.documentElement?.localName ?? '';
  if (first === 'html') return document;
  return parse(OUTER.has(first) ? `<html>${html}</html>` : `<html><body>${html}</body></html>`);
}

const OUTER = new Set(['html', 'head', 'body']);

function assertShallow(root: PageElement): void {
  const depths = new Map<unknown, number>([[root, 1]]);
  for (const element of root.querySelectorAll('*')) {
    const depth = (depths.get(element.parentNode) ?? 0) + 1;
    if (depth > MAX_DEPTH) throw new PageError(`The page is nested deeper than ${MAX_DEPTH} elements.`);
    depths.set(element, depth);
  }
}

/** Moves content into the body if it is outside, because the tags of a body are optional. */
function gatherBody(document: PageDocument, root: PageElement): void {
  const nodes = [...root.childNodes, ...document.childNodes] as PageElement[];
  const strays = nodes.filter(({ nodeType, localName }) => nodeType === TEXT || (nodeType === ELEMENT && !OUTER.has(localName)));
  document.body.append(...strays);
}

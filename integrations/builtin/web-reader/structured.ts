import { titleOf } from './article.ts';
import { absoluteUrl, lineOf, type Page, type PageDocument } from './page.ts';

const VALUE_MAX_LENGTH = 2000;
const MAX_NAMES = 200;
const MAX_VALUES = 50;
const JSON_LD_MAX_LENGTH = 256 * 1024;
const JSON_LD_MAX_DEPTH = 50;

type Properties = Record<string, string | string[]>;

/**
 * Reads the machine-readable metadata of a page. JSON-LD that is invalid or nested too deeply is
 * only counted (`malformedJsonLd`).
 */
export function readStructuredData({ document, baseUrl }: Page) {
  const all = readMeta(document);
  const named = (test: (name: string) => boolean) => toProperties([...all].filter(([name]) => test(name)));
  const isSpecial = (name: string) => /^(og|article|product|profile|book|video|music|fb|twitter):/.test(name);
  const canonical = document.querySelector('link[rel~="canonical"]')?.getAttribute('href') ?? null;
  return {
    title: titleOf(document),
    description: all.get('description')?.[0] ?? all.get('og:description')?.[0] ?? null,
    canonicalUrl: absoluteUrl(canonical, baseUrl) ?? null,
    language: lineOf(document.documentElement?.getAttribute('lang'), 50) || null,
    meta: named((name) => !isSpecial(name)),
    openGraph: named((name) => isSpecial(name) && !name.startsWith('twitter:')),
    twitter: named((name) => name.startsWith('twitter:')),
    ...readJsonLd(document),
  };
}

function readMeta(document: PageDocument): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const element of document.querySelectorAll('meta')) {
    const names = element.getAttribute('property') ?? element.getAttribute('name') ?? element.getAttribute('http-equiv');
    const name = lineOf(names, 200).toLowerCase();
    const value = lineOf(element.getAttribute('content'), VALUE_MAX_LENGTH);
    if (name === '' || value === '') continue;
    const known = values.get(name);
    if (!known && values.size < MAX_NAMES) values.set(name, [value]);
    else if (known && known.length < MAX_VALUES) known.push(value);
  }
  return values;
}

function toProperties(entries: [string, string[]][]): Properties {
  return Object.fromEntries(entries.map(([name, values]) => [name, values.length === 1 ? values[0]! : values]));
}

function readJsonLd(document: PageDocument) {
  const jsonLd: unknown[] = [];
  let malformedJsonLd = 0;
  let length = 0;
  let truncated = false;
  for (const { textContent } of document.querySelectorAll('script[type="application/ld+json" i]')) {
    length += textContent.length;
    if (length > JSON_LD_MAX_LENGTH) {
      truncated = true;
      break;
    }
    const value = parseJsonLd(textContent);
    if (value === undefined) malformedJsonLd += 1;
    else jsonLd.push(value);
  }
  return { jsonLd, malformedJsonLd, truncated };
}

function parseJsonLd(text: string): unknown {
  // Some generators wrap the script in a comment for old browsers.
  const bare = text.trim().replace(/^(?:<!--|\/\*<!\[CDATA\[\*\/|<!\[CDATA\[)|(?:-->|\/\*\]\]>\*\/|\]\]>)$/g, '');
  try {
    const value = JSON.parse(bare, (_, item) => (typeof item === 'string' ? item.toWellFormed() : item));
    return isShallow(value, JSON_LD_MAX_DEPTH) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((item) => isShallow(item, levels - 1));
}

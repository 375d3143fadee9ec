/** What the parts of the web reader know of a parsed page; the machinery behind it is only loaded in the thread that parses. */
export interface PageNode {
  readonly nodeType: number;
  readonly textContent: string;
  readonly childNodes: Iterable<PageNode>;
}

export interface PageElement extends PageNode {
  readonly localName: string;
  readonly parentNode: PageNode | null;
  readonly children: Iterable<PageElement>;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  append(...nodes: (PageNode | string)[]): void;
  remove(): void;
}

export interface PageDocument extends PageElement {
  readonly documentElement: PageElement | null;
  readonly body: PageElement;
}

/** A page, and the address that its relative ones start from. */
export interface Page {
  document: PageDocument;
  baseUrl: string;
}

/** A page that cannot be read, and why, for the caller. */
export class PageError extends Error {}

export const ELEMENT = 1;
export const TEXT = 3;

/** The text of a node, or undefined, in one line and of at most so many characters. */
export function lineOf(text: string | null | undefined, maxLength: number): string {
  return (text ?? '')
    .slice(0, maxLength * 4)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxLength)
    .toWellFormed();
}

/** An address made absolute; undefined where it is none, or not one of the web. */
export function absoluteUrl(address: string | null, baseUrl: string): string | undefined {
  if (address === null || address.length > 8192) return undefined;
  const url = URL.parse(address.trim(), baseUrl);
  return url && WEB.has(url.protocol) ? url.href : undefined;
}

const WEB = new Set(['http:', 'https:']);

/**
 * A node of a parsed page. This module does not load the parser, which only the worker thread
 * needs.
 */
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

/** A parsed page, and the base address of its relative links. */
export interface Page {
  document: PageDocument;
  baseUrl: string;
}

/** The message is for the caller. */
export class PageError extends Error {}

export const ELEMENT = 1;
export const TEXT = 3;

/** Returns a text as one line of at most `maxLength` characters. */
export function lineOf(text: string | null | undefined, maxLength: number): string {
  return (text ?? '')
    .slice(0, maxLength * 4)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxLength)
    .toWellFormed();
}

/** Undefined if the address is invalid, too long, or not http or https. */
export function absoluteUrl(address: string | null, baseUrl: string): string | undefined {
  if (address === null || address.length > 8192) return undefined;
  const url = URL.parse(address.trim(), baseUrl);
  return url && WEB.has(url.protocol) ? url.href : undefined;
}

const WEB = new Set(['http:', 'https:']);

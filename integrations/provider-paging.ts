import { z } from 'zod';
import type { Answer } from './provider-call.ts';
import type { Fields } from './provider-request.ts';

/** How an API hands out a list in pages: by a parameter of the query that names the page, and one for its size. */
export interface Paging {
  cursor: string;
  size: { name: string; default: number; max: number };
  /** Where the next page is named: a dotted path into the body, or a function; nothing, null or an empty text: this was the last. */
  next: string | ((answer: Answer) => string | number | null | undefined);
}

/** Inputs that every paged action has. */
export function pageInput({ size }: Paging) {
  return {
    limit: z.int().min(1).max(size.max).default(size.default).describe('how many items at most'),
    cursor: z.string().min(1).max(4096).optional().describe('nextCursor of the answer before; the other inputs stay the same'),
  };
}

/** The output that every paged action has. */
export const pageOutput = { nextCursor: z.string().nullable().describe('cursor of the next page; null at the end') };

/** The query that asks for a page. */
export function pageQuery({ size, cursor }: Paging, page: { limit?: unknown; cursor?: unknown }): Fields {
  return { [size.name]: Number(page.limit ?? size.max), [cursor]: typeof page.cursor === 'string' ? page.cursor : undefined };
}

/** The cursor of the next page. */
export function nextCursor({ next }: Paging, answer: Answer): string | null {
  const found = typeof next === 'string' ? valueAt(answer.body, next) : next(answer);
  return (typeof found === 'string' && found !== '') || typeof found === 'number' ? String(found) : null;
}

/** The next page as a parameter of the address that a Link header calls `next` (RFC 8288). Only the parameter is used, never the address. */
export function nextInLink(parameter: string): (answer: Answer) => string | null | undefined {
  return ({ headers }) => {
    const target = /<([^>]*)>[^,]*;\s*rel="?next"?/.exec(headers.link ?? '')?.[1];
    return target && URL.parse(target, 'https://link.invalid')?.searchParams.get(parameter);
  };
}

function valueAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (item, key) =>
        typeof item === 'object' && item !== null && Object.hasOwn(item, key) ? (item as Record<string, unknown>)[key] : undefined,
      value,
    );
}

import { namedCursor, nextInLink, type Paging } from '../provider-paging.ts';
import { isObject } from '../schema/evaluation.ts';
import { textAt, valueAt } from './value-at.ts';

/** Where the cursor of the next page comes from. */
type NextDocument =
  /** A dotted path into the body. */
  | string
  /** A parameter of the address with rel="next" in the Link header. */
  | { link: string }
  /** A parameter of the address at the path `url`. Default: the first that `cursor` names. */
  | { url: string; parameter?: string }
  /** The last path segment of the address at `segmentOf`. No next page if `items` is empty. */
  | { segmentOf: string; items: string }
  /** The paths of two numbers in the body: `page` of this page, `last` of the last page. */
  | { page: string; last: string }
  /**
   * The next number of a page or item, if the list at `items` has `limit` items. A path in `more`
   * or `total` replaces this test. `first`: 1 for pages and 0 for items by default.
   */
  | { count: 'pages' | 'items'; items: string; first?: number; more?: string; total?: string }
  /** A field of the last item, if `more` is true or, without `more`, if the list is full. */
  | { items: string; field: string; more?: string };

/** The paging of a list, as a document describes it. */
export interface PagingDocument {
  /** The parameter that selects the page, or several if the API uses different ones. */
  cursor?: string | readonly string[];
  segment?: boolean;
  /** The page sizes that the API allows. `min` is 1 by default. */
  size?: { name?: string; default: number; min?: number; max: number };
  next: NextDocument;
}

/** Builds the paging that a document describes. */
export function toPaging({ cursor, segment, size, next }: PagingDocument): Paging {
  const found: Next = typeof next === 'string' ? ({ body }) => textAt(body, next) : nextOf(next, size, cursor);
  return { cursor, isSegment: segment, size, next: found };
}

type Next = Paging['next'];

function nextOf(next: Exclude<NextDocument, string>, size: PagingDocument['size'], cursor: PagingDocument['cursor']): Next {
  if ('link' in next) return nextInLink(next.link);
  if ('url' in next) {
    return ({ body }) => {
      const url = URL.parse(textAt(body, next.url) ?? '', 'https://page.invalid');
      return next.parameter === undefined ? namedCursor([cursor ?? []].flat(), url) : url?.searchParams.get(next.parameter);
    };
  }
  if ('segmentOf' in next) {
    return ({ body }) => {
      const url = URL.parse(textAt(body, next.segmentOf) ?? '', 'https://page.invalid');
      return url && listAt(body, next.items).length > 0 ? decoded(url.pathname.split('/').at(-1)!) : undefined;
    };
  }
  if ('page' in next) {
    return ({ body }) => {
      const page = Number(textAt(body, next.page));
      return page < Number(textAt(body, next.last)) ? page + 1 : undefined;
    };
  }
  const wanted = (input: Record<string, unknown>) => Number(input.limit ?? size?.max ?? 1);
  const goesOn = (body: unknown, count: number, input: Record<string, unknown>) =>
    next.more === undefined ? count > 0 && count >= wanted(input) : valueAt(body, next.more) === true;
  if ('field' in next) {
    return ({ body, input }) => {
      const items = listAt(body, next.items);
      return goesOn(body, items.length, input) ? textAt(items.at(-1), next.field) : undefined;
    };
  }
  const first = next.first ?? (next.count === 'pages' ? 1 : 0);
  return ({ body, input }) => {
    const count = listAt(body, next.items).length;
    const after = Number(input.cursor ?? first) + (next.count === 'pages' ? 1 : count);
    if (next.total !== undefined) {
      const seen = next.count === 'pages' ? (after - first) * wanted(input) : after - first;
      return count > 0 && seen < Number(textAt(body, next.total)) ? after : undefined;
    }
    return goesOn(body, count, input) ? after : undefined;
  };
}

function listAt(body: unknown, path: string): unknown[] {
  const found = valueAt(body, path);
  if (Array.isArray(found)) return found;
  return isObject(found) && path !== '' ? [found] : [];
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

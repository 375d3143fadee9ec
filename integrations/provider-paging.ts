import { ActionError } from './definition.ts';
import type { Answer } from './provider-call.ts';
import type { Fields } from './provider-request.ts';

/** How an API pages a list. */
export interface Paging {
  /** The parameter that selects the page. If there are several, a cursor names one: `$skip=20`. */
  cursor?: string | readonly string[] | undefined;
  /** Whether the cursor is appended to the path. Default: false. */
  isSegment?: boolean | undefined;
  size?: { name?: string | undefined; default: number; min?: number | undefined; max: number } | undefined;
  /** Undefined, null or an empty text after the last page. */
  next(answer: Answer): string | number | null | undefined;
}

/** JSON Schema properties that paging adds to an action. */
export function pageSchemas({ size }: Paging) {
  const limit = size && {
    ...{ type: 'integer', minimum: size.min ?? 1, maximum: size.max, default: size.default },
    description: 'how many items at most',
  };
  const cursor = {
    ...{ type: 'string', minLength: 1, maxLength: 4096 },
    description: 'nextCursor of the previous answer; keep the other inputs unchanged',
  };
  const nextCursor = { type: ['string', 'null'], description: 'cursor of the next page; null at the end' };
  return { input: { ...(limit && { limit }), cursor }, output: { nextCursor } };
}

/** The query parameters that select a page. */
export function pageQuery({ size, cursor }: Paging, page: { limit?: unknown; cursor?: unknown }): Fields {
  return {
    ...(size?.name !== undefined && { [size.name]: Number(page.limit ?? size.max) }),
    ...(cursor !== undefined && typeof page.cursor === 'string' && cursorQuery(cursor, page.cursor)),
  };
}

function cursorQuery(names: string | readonly string[], cursor: string): Fields {
  if (typeof names === 'string') return { [names]: cursor };
  const name = names.find((one) => cursor.startsWith(`${one}=`));
  if (name === undefined) throw new ActionError('cursor is not a nextCursor that this action returned.');
  return { [name]: cursor.slice(name.length + 1) };
}

/**
 * The cursor in the address of the next page, as `name=value`. Other parameters are ignored, so
 * that a cursor can change only the page.
 */
export function namedCursor(names: readonly string[], url: URL | null): string | undefined {
  for (const [key, value] of url?.searchParams ?? []) {
    const name = names.find((one) => one.toLowerCase() === key.toLowerCase());
    if (name !== undefined) return `${name}=${value}`;
  }
  return undefined;
}

/** The cursor of the next page. Null after the last page. */
export function nextCursor({ next }: Paging, answer: Answer): string | null {
  const found = next(answer);
  return (typeof found === 'string' && found !== '') || typeof found === 'number' ? String(found) : null;
}

/** Reads the cursor from the address with rel="next" in a Link header (RFC 8288). */
export function nextInLink(parameter: string): (answer: Answer) => string | null | undefined {
  return ({ headers }) => {
    const [, target, more] = /<([^<>]*)>[^,<]*;\s*rel="?next"?([^,<]*)/.exec(headers.link ?? '') ?? [];
    // Sentry also sends a next link on the last page, with results="false".
    if (!target || /;\s*results="false"/.test(more ?? '')) return undefined;
    return URL.parse(target, 'https://link.invalid')?.searchParams.get(parameter);
  };
}

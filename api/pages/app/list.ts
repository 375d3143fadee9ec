import { PAGE } from '../../../domain/limits.ts';
import { type ShownTime, showTime } from '../layout/show-time.ts';
import { isDay } from './days.ts';
import type { Sparkline } from './pictures/sparkline.ts';
import type { Visit } from './screen.ts';

/** A cell of a table. Text of others is shown with hidden characters visible. */
export type Cell =
  | string
  | { text: string; hint: string }
  | { href: string; text: string; hint?: string; mark?: Mark }
  | { time: ShownTime }
  | { state: string; tone: 'good' | 'bad' | 'waiting' | 'quiet' }
  | { picture: Sparkline }
  | { buttons: readonly RowButton[] };

/** One or two letters in one of six colours, instead of a picture. */
export interface Mark {
  letters: string;
  /** 0 to 5. */
  hue: number;
}

/** A button of a row: a link to a page, or a form that posts. Paths are below /app. */
export type RowButton = {
  label: string;
  /** The accessible name, if it is longer than the label. It begins with the label. */
  name?: string;
  /** The subject of a button whose accessible name is its label. */
  about?: string;
} & ({ href: string } | { action: string; fields?: Readonly<Record<string, string>> });

/** A filter: a select, a day, or a text. */
export interface Filter {
  label: string;
  /** Its key in the URL. Default: the label in lower case. */
  key?: string;
  /** `date`: a day in UTC, as 2026-11-23. */
  kind?: 'date';
  /** Makes it a select. */
  options?: readonly { value: string; label: string }[];
  /** Value of a select that the URL does not have. Default: the first option. */
  fallback?: string;
}

/** A table in the look of every list. */
export interface ListSpec {
  /** The accessible name of the table: the h1. */
  name: string;
  /** `workspaces`, for "No workspaces yet." */
  plural: string;
  columns: readonly string[];
  /** The first cell is the row's header. */
  rows: readonly (readonly Cell[])[];
  filters?: readonly Filter[];
  /** One sentence for an empty list: what it is for. */
  about: string;
  /** The link that makes one: "New workspace". Absent for a role that may not. */
  create?: { href: string; label: string } | undefined;
  /** A link in an empty list, and the sentence that it says instead of "No workspaces yet.". */
  empty?: { sentence?: string; link: { href: string; label: string } } | undefined;
  /** A checkbox in each row, sent with the form of this id; undefined for rows without one. */
  selectable?: { form: string; name: string; rows: readonly ({ value: string; label: string } | undefined)[] };
  /** The value of `page` in the URL of the next page. */
  nextPage?: string | undefined;
  total?: number;
  /** The row that a preview beside the list shows. */
  current?: number | undefined;
  /** Reloads the list when records of this topic change. The status announces new rows. */
  live?: { topic: string; one: string; many: string };
}

/** The data of `layout/list`. */
export function listView({ ctx, query, root }: Visit, spec: ListSpec) {
  const filters = (spec.filters ?? []).map((filter) => ({ ...filter, key: keyOf(filter), value: readFilter(query, filter) }));
  const isNarrowed = filters.some(({ key }) => (query.get(key) ?? '') !== '');
  const path = root + ctx.path.slice('/app'.length);
  const kept = query.get('workspace');
  const next = spec.nextPage === undefined ? undefined : `${path}?${withPage(query, spec.nextPage)}`;
  // "Clear" removes the workspace only if nothing else filters.
  const clear = kept === null || !isNarrowed ? path : `${path}?${new URLSearchParams({ workspace: kept })}`;
  return { ...spec, filters, isFiltered: isNarrowed || kept !== null, next, clear, path, workspace: kept };
}

export type ListView = ReturnType<typeof listView>;

/**
 * A list on the page of a record, without filters. The workspace that the banner selects does not
 * count as one.
 */
export function partView(visit: Visit, spec: Omit<ListSpec, 'filters' | 'nextPage'>): ListView {
  return { ...listView(visit, spec), isFiltered: false };
}

/** The chosen value of a filter. A value that is no option, or no day, counts as not chosen. */
export function readFilter(query: URLSearchParams, filter: Filter): string {
  // Postgres cannot store NUL, so no record has it.
  const given = query.get(keyOf(filter))?.replaceAll('\0', '').trim() ?? '';
  if (filter.kind === 'date') return isDay(given) ? given : '';
  if (!filter.options) return given;
  const isOption = filter.options.some(({ value }) => value === given);
  return isOption ? given : (filter.fallback ?? filter.options[0]?.value ?? '');
}

/** Reads `page` of a list that counts from an offset. */
export function pageOf(query: URLSearchParams): { limit: number; offset: number } {
  const page = /^[1-9]\d{0,5}$/.test(query.get('page') ?? '') ? Number(query.get('page')) : 1;
  return { limit: PAGE.default, offset: (page - 1) * PAGE.default };
}

/** `page` of the next page; undefined on the last one. */
export function nextPageOf({ limit, offset }: { limit: number; offset: number }, total: number): string | undefined {
  return offset + limit < total ? String(offset / limit + 2) : undefined;
}

/** A cell with a time; a dash without one. */
export function timeCell(at: Date | null | undefined): Cell {
  return at ? { time: showTime(at) } : '–';
}

function keyOf({ label, key = label.toLowerCase() }: Filter): string {
  return key;
}

function withPage(query: URLSearchParams, page: string): URLSearchParams {
  const next = new URLSearchParams(query);
  next.set('page', page);
  return next;
}

import { PAGE } from '../../../domain/limits.ts';
import { type ShownTime, showTime } from '../layout/show-time.ts';
import { isDay } from './days.ts';
import type { Sparkline } from './pictures/sparkline.ts';
import type { Visit } from './screen.ts';

/** A cell of a table. Hidden characters in texts become visible. */
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
  /** The number of the colour, 0 to 5. */
  hue: number;
}

/** A button of a row: a link to a page, or a form that posts. Paths are below /app. */
export type RowButton = {
  label: string;
  /** The accessible name. It begins with the label. Default: the label. */
  name?: string;
  /** What the button acts on. */
  about?: string;
} & ({ href: string } | { action: string; fields?: Readonly<Record<string, string>> });

/** A filter: a select, a day, or a text. */
export interface Filter {
  label: string;
  /** The key of the filter in the URL. Default: the label in lower case. */
  key?: string;
  /** `date`: a day in UTC, as 2026-11-23. */
  kind?: 'date';
  options?: readonly { value: string; label: string }[];
  /** The value of a select if the URL has no valid value. Default: the first option. */
  fallback?: string;
}

/** The content of a list: a table with filters. */
export interface ListSpec {
  /** The accessible name of the table, equal to the heading. */
  name: string;
  /** The plural noun in "No workspaces yet.", such as `workspaces`. */
  plural: string;
  columns: readonly string[];
  /** The first cell is the row's header. */
  rows: readonly (readonly Cell[])[];
  filters?: readonly Filter[];
  /** One sentence about the records of the list, shown if the list is empty. */
  about: string;
  /** The link "New workspace"; undefined for roles that may not create a record. */
  create?: { href: string; label: string } | undefined;
  /** A link in an empty list, and a sentence that replaces "No workspaces yet.". */
  empty?: { sentence?: string; link: { href: string; label: string } } | undefined;
  /**
   * A checkbox for each row, undefined for a row without a checkbox. `form` is the id of the form.
   */
  selectable?: { form: string; name: string; rows: readonly ({ value: string; label: string } | undefined)[] };
  /** The value of `page` in the link to the next page. */
  nextPage?: string | undefined;
  total?: number;
  /** The index of the row that a preview beside the list shows. */
  current?: number | undefined;
  /** Reloads the list when records of this topic change. A status message announces new rows. */
  live?: { topic: string; one: string; many: string };
}

/** The data of `layout/list`. */
export function listView({ ctx, query, root }: Visit, spec: ListSpec) {
  const filters = (spec.filters ?? []).map((filter) => ({ ...filter, key: keyOf(filter), value: readFilter(query, filter) }));
  const isNarrowed = filters.some(({ key }) => (query.get(key) ?? '') !== '');
  const path = root + ctx.path.slice('/app'.length);
  const kept = query.get('workspace');
  const next = spec.nextPage === undefined ? undefined : `${path}?${withPage(query, spec.nextPage)}`;
  // "Clear filters" keeps the selected workspace. If no filter is set, it clears the workspace.
  const clear = kept === null || !isNarrowed ? path : `${path}?${new URLSearchParams({ workspace: kept })}`;
  return { ...spec, filters, isFiltered: isNarrowed || kept !== null, next, clear, path, workspace: kept };
}

export type ListView = ReturnType<typeof listView>;

/**
 * The data of a list on the page of a record. A workspace selected in the banner does not count as
 * a filter.
 */
export function partView(visit: Visit, spec: Omit<ListSpec, 'filters' | 'nextPage'>): ListView {
  return { ...listView(visit, spec), isFiltered: false };
}

/** The chosen value of a filter. Ignores a value that is not an option, or not a day. */
export function readFilter(query: URLSearchParams, filter: Filter): string {
  // Postgres cannot store NUL.
  const given = query.get(keyOf(filter))?.replaceAll('\0', '').trim() ?? '';
  if (filter.kind === 'date') return isDay(given) ? given : '';
  if (!filter.options) return given;
  const isOption = filter.options.some(({ value }) => value === given);
  return isOption ? given : (filter.fallback ?? filter.options[0]?.value ?? '');
}

/** Reads `page` of the URL, counted from 1, as a limit and an offset. Default: page 1. */
export function pageOf(query: URLSearchParams): { limit: number; offset: number } {
  const page = /^[1-9]\d{0,5}$/.test(query.get('page') ?? '') ? Number(query.get('page')) : 1;
  return { limit: PAGE.default, offset: (page - 1) * PAGE.default };
}

/** The value of `page` for the next page; undefined on the last page. */
export function nextPageOf({ limit, offset }: { limit: number; offset: number }, total: number): string | undefined {
  return offset + limit < total ? String(offset / limit + 2) : undefined;
}

/** A cell with a time, or with a dash if there is no time. */
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

import { type Filter, listView, nextPageOf, pageOf, readFilter } from '../../../../api/pages/app/list.ts';
import type { Visit } from '../../../../api/pages/app/screen.ts';

const STATUS: Filter = {
  label: 'Status',
  options: [
    { value: 'pending', label: 'Waiting' },
    { value: 'all', label: 'All' },
  ],
};

const visitOf = (query: string) => ({ ctx: { path: '/app/things' }, root: '/app', query: new URLSearchParams(query) }) as Visit;
const spec = { name: 'Things', plural: 'things', columns: ['Name'], rows: [], filters: [STATUS], about: '' };

test.each([
  ['', 'pending'],
  ['status=all', 'all'],
  ['status=nonsense', 'pending'],
])('a select takes its value from the URL, or else its first option: %j', (query, value) => {
  expect(readFilter(new URLSearchParams(query), STATUS)).toBe(value);
});

test('a text filter is trimmed; its key is its label in lower case', () => {
  expect(readFilter(new URLSearchParams({ who: ' ada ' }), { label: 'Who' })).toBe('ada');
});

test.each([
  ['2026-11-23', '2026-11-23'],
  ['2026-02-30', ''],
  ['0001-01-01', ''],
  ['yesterday', ''],
])('a date filter accepts only a valid date: %j', (from, value) => {
  expect(readFilter(new URLSearchParams({ from }), { label: 'From', kind: 'date' })).toBe(value);
});

test.each([
  ['', 0],
  ['page=1', 0],
  ['page=3', 100],
  ['page=0', 0],
  ['page=-1', 0],
  ['page=1e9', 0],
  ['page=9999999999', 0],
])('the query %j begins the page at row %i', (query, offset) => {
  expect(pageOf(new URLSearchParams(query))).toEqual({ limit: 50, offset });
});

test('there is a next page while rows remain', () => {
  expect(nextPageOf({ limit: 50, offset: 0 }, 50)).toBeUndefined();
  expect(nextPageOf({ limit: 50, offset: 50 }, 101)).toBe('3');
});

test('the links to the next page and for clearing the filters keep the workspace', () => {
  const list = listView(visitOf('workspace=w&status=all'), { ...spec, nextPage: '2' });
  expect(list.next).toBe('/app/things?workspace=w&status=all&page=2');
  expect(list.clear).toBe('/app/things?workspace=w');
  expect([list.isFiltered, listView(visitOf(''), spec).isFiltered]).toEqual([true, false]);
});

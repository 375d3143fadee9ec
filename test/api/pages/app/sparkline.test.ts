import { SPARKLINE_BARS, sparkline } from '../../../../api/pages/app/pictures/sparkline.ts';
import { renderTemplate } from '../../../../api/pages/layout/render-page.ts';

const to = new Date('2026-11-22T12:00:00Z');
const from = new Date('2026-11-15T12:00:00Z');
const countsOf = (filled: Record<number, number>) => Array.from({ length: SPARKLINE_BARS }, (_, place) => filled[place] ?? 0);
const draw = (filled: Record<number, number>) => sparkline({ name: 'Calls in the last 7 days', from, to, counts: countsOf(filled) });

test('the chart’s accessible name contains the sum, the highest count and its time', () => {
  expect(draw({ 0: 2, 27: 1200 }).name).toBe('Calls in the last 7 days: 1,202, most from 22 November 2026 at 06:00 UTC: 1,200');
});

test('without calls, the name contains 0', () => {
  expect(draw({}).name).toBe('Calls in the last 7 days: 0');
});

test('the highest count fills the height, and a small count differs from none', () => {
  const { bars, height } = draw({ 0: 1, 1: 100_000 });
  expect(bars).toHaveLength(28);
  expect(bars.slice(0, 3).map((bar) => bar.height)).toEqual([2, height, 1]);
  expect(bars.every((bar) => bar.y + bar.height === height)).toBe(true);
});

test('the chart’s table has the same numbers', () => {
  const { table } = draw({ 0: 3, 27: 1200 });
  expect(table.rows).toEqual([
    ['15 November 2026 at 12:00 UTC', '3'],
    ['22 November 2026 at 06:00 UTC', '1,200'],
  ]);
  expect(table.rest).toBe('0 at all other times.');
});

test('a part of the period without calls is drawn empty; names are escaped', () => {
  const picture = sparkline({ name: 'Calls of <b>x</b>\u202E', from, to, counts: [0, 1] });
  const html = renderTemplate('app/pictures/sparkline', { picture }) + renderTemplate('app/pictures/picture-table', picture);
  expect(html).toContain('role="img" aria-label="Calls of &lt;b&gt;x&lt;/b&gt;');
  expect(html.match(/<rect class="none"/g)).toHaveLength(1);
  expect(html).not.toMatch(/<b>|\u202E/);
});

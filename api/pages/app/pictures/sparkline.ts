import { showTime } from '../../layout/show-time.ts';
import type { PictureTable } from './picture-table.ts';

/** Counts of a time range that is divided into equal parts. */
export interface SparklineSpec {
  /** The name of the picture, such as "Calls in the last 24 hours". */
  name: string;
  /** The first part begins at `from`, the last part ends at `to`. */
  from: Date;
  to: Date;
  /** One count for each part, oldest first. */
  counts: readonly number[];
  /** What is counted, as the heading of a column. Default: "Calls". */
  counted?: string;
}

/** Number of bars of a sparkline over 7 days: one bar for 6 hours. */
export const SPARKLINE_BARS = 28;

/** Sizes are in units of the drawing. */
const HEIGHT = 24;
const STEP = 4;
const WIDTH_OF_BAR = 3;
/** Minimum height of a bar, so that a small count differs from 0. */
const LOWEST = 2;

/** The data of the template `pictures/sparkline`. */
export function sparkline({ name, from, to, counts, counted = 'Calls' }: SparklineSpec) {
  const highest = Math.max(0, ...counts);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const length = (to.getTime() - from.getTime()) / Math.max(1, counts.length);
  const starts = counts.map((_, place) => showTime(new Date(from.getTime() + place * length)).words);
  const bars = counts.map((count, place) => {
    const height = count === 0 ? 1 : Math.max(LOWEST, Math.round((count / highest) * HEIGHT));
    return {
      x: place * STEP,
      y: HEIGHT - height,
      width: WIDTH_OF_BAR,
      height,
      isEmpty: count === 0,
      title: `${starts[place]}: ${show(count)}`,
    };
  });
  const most = highest === 0 ? '' : `, most from ${starts[counts.indexOf(highest)]}: ${show(highest)}`;
  const table: PictureTable = {
    summary: `${name}, as a table`,
    columns: ['From', counted],
    rows: counts.flatMap((count, place) => (count === 0 ? [] : [[starts[place]!, show(count)]])),
    rest: counts.includes(0) ? '0 at all other times.' : undefined,
  };
  return { name: `${name}: ${show(total)}${most}`, total: show(total), bars, width: counts.length * STEP, height: HEIGHT, table };
}

export type Sparkline = ReturnType<typeof sparkline>;

const NUMBER = new Intl.NumberFormat('en');

function show(count: number): string {
  return NUMBER.format(count);
}

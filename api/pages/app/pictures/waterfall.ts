import type { PictureTable } from './picture-table.ts';

/** A stretch of time in a lane, in ms since 1970. `wait` is drawn hatched. */
export interface Stretch {
  from: number;
  to: number;
  kind: 'wait' | 'good' | 'bad' | 'open';
}

/** A row of the picture. */
export interface Lane {
  label: string;
  /** A few words beside the label. */
  note: string;
  stretches: readonly Stretch[];
}

/** Lanes over the same time range, from top to bottom. Times are in ms since 1970. */
export interface WaterfallSpec {
  /** The accessible name, with the numbers in the picture. */
  name: string;
  lanes: readonly Lane[];
  ticks: readonly { at: number; label: string }[];
  /**
   * Times in which nothing but waiting happens, sorted, without overlaps. Long ones are drawn
   * shorter.
   */
  idle: readonly { from: number; to: number }[];
  from: number;
  to: number;
  table: PictureTable;
}

/** In pixels. Horizontal sizes are in percent instead, so that text is never scaled. */
const LANE = { height: 38, bar: 10, barAt: 20, labelAt: 13 };
const TOP = 24;
/** Minimum width of a stretch in percent, so that every stretch is visible. */
const MIN_WIDTH = 0.6;
const MAX_LABEL = 44;

/** The data of the template `pictures/waterfall`. */
export function waterfall({ name, lanes, ticks, idle, from, to, table }: WaterfallSpec) {
  const place = axis(from, to, idle);
  const drawn = lanes.map(({ label, note, stretches }, index) => {
    const top = TOP + index * LANE.height;
    const bars = stretches.map((stretch) => {
      const x = Math.min(place(stretch.from), 100 - MIN_WIDTH);
      const width = Math.max(MIN_WIDTH, place(stretch.to) - x);
      return { x: percent(x), width: percent(width), y: top + LANE.barAt, height: LANE.bar, kind: stretch.kind };
    });
    return { label: shorten(label), note, textAt: top + LANE.labelAt, bars };
  });
  const marks = ticks.map(({ at, label }) => {
    const x = place(at);
    return { x: percent(x), label, isRight: x > 85 };
  });
  return { name, lanes: drawn, marks, height: TOP + lanes.length * LANE.height, table };
}

/** Maximum drawn length of an idle time, as a share of the time that is not idle. */
const IDLE_SHARE = 0.25;

/** Returns a function that converts a time to a position in percent of the width. */
function axis(from: number, to: number, idle: WaterfallSpec['idle']): (at: number) => number {
  const gaps = idle.filter((gap) => gap.to > gap.from);
  const busy = to - from - gaps.reduce((sum, gap) => sum + gap.to - gap.from, 0);
  const most = busy > 0 ? busy * IDLE_SHARE : Number.POSITIVE_INFINITY;
  /** The drawn length from the start to `at`, in ms. */
  const drawnUntil = (at: number) =>
    gaps.reduce((sum, gap) => {
      const passed = Math.min(Math.max(at - gap.from, 0), gap.to - gap.from);
      const length = gap.to - gap.from;
      return sum - passed + passed * Math.min(1, most / length);
    }, at - from);
  const whole = drawnUntil(to);
  return (at) => (whole <= 0 ? 0 : Math.min(100, Math.max(0, (drawnUntil(at) / whole) * 100)));
}

function percent(value: number): string {
  return `${Math.round(value * 100) / 100}%`;
}

function shorten(label: string): string {
  return label.length > MAX_LABEL ? `${label.slice(0, MAX_LABEL - 1)}…` : label;
}

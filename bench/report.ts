import { openTestBed, type TestBed } from '../test/support/test-bed.ts';
import type { Bar } from './bar.ts';

/** Opens a test bed, measures, prints the bars. `durable`: Postgres syncs commits to disk. */
export async function report(measure: (bed: TestBed) => Promise<Bar[]>, options: { durable?: boolean } = {}): Promise<void> {
  const { bed, close } = openTestBed(options);
  try {
    printBars(await measure(bed));
  } finally {
    await close();
  }
}

/** Prints bars as a table. Sends them to `npm run bench`, if that is the parent process. */
export function printBars(bars: Bar[]): void {
  console.table(Object.fromEntries(bars.map(({ bar, ...figures }) => [bar, figures])));
  process.send?.(bars);
}

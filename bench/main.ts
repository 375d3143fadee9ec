import { openTestBed } from '../test/support/test-bed.ts';
import type { Bar } from './bar.ts';
import { policyBars } from './policies.ts';
import { restBars } from './rest.ts';
import { toolsCallBars } from './tools-call.ts';

/** npm run bench: each bar against a reference measured in turns with it, in one table. */
const { bed, close } = openTestBed();
try {
  const bars: Bar[] = [...policyBars()];
  for (const measure of [restBars, toolsCallBars]) bars.push(...(await measure(bed)));
  console.table(Object.fromEntries(bars.map(({ bar, ...figures }) => [bar, figures])));
} finally {
  await close();
}

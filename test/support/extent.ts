/**
 * True in `npm run test:endurance`; false in `npm test`, where tests of the project `endurance` run
 * only a sample.
 */
const IS_WHOLE = process.env.TEST_EXTENT === 'whole';

/** How much an endurance test does: all of it, or the sample. */
export function extent<Amount>({ whole, sample }: { whole: Amount; sample: Amount }): Amount {
  return IS_WHOLE ? whole : sample;
}

/**
 * All cases of an endurance test; in the sample, `count` of them in their order, chosen at random
 * for each test run.
 */
export function sampled<Item>(cases: readonly Item[], count: number): Item[] {
  if (IS_WHOLE) return [...cases];
  const left = cases.map((_, index) => index);
  while (left.length > count) left.splice(Math.floor(Math.random() * left.length), 1);
  return left.map((index) => cases[index]!);
}

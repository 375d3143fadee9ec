const IS_WHOLE = process.env.TEST_EXTENT === 'whole';

/** Returns `whole` in `npm run test:endurance`, and `sample` in `npm test`. */
export function extent<Amount>({ whole, sample }: { whole: Amount; sample: Amount }): Amount {
  return IS_WHOLE ? whole : sample;
}

/**
 * Returns all cases of an endurance test. In a sample run, returns `count` randomly chosen cases in
 * their original order.
 */
export function sampled<Item>(cases: readonly Item[], count: number): Item[] {
  if (IS_WHOLE) return [...cases];
  const left = cases.map((_, index) => index);
  while (left.length > count) left.splice(Math.floor(Math.random() * left.length), 1);
  return left.map((index) => cases[index]!);
}

import TestSequencer from '@jest/test-sequencer';

/**
 * Starts the file that measures its own process' memory first, since it needs a fresh process. Then
 * files that start processes or wait, by usual duration, longest first. All others take about a
 * second.
 */
const LONG = [
  /\/hostile\.endurance\.test\.ts$/,
  /\/chaos\//,
  /\.endurance\.test\.ts$/,
  /\/(stories|sandbox)\//,
  /\/(standalone|contract)\/|\.system\.test\.ts$/,
];

/**
 * Keeps Jest's own order within groups of files of similar length. Jest knows durations only of
 * files that it has run before.
 */
export default class LongestFirst extends TestSequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    return sorted.toSorted((a, b) => groupOf(a) - groupOf(b));
  }
}

function groupOf({ path }) {
  const group = LONG.findIndex((pattern) => pattern.test(path));
  return group === -1 ? LONG.length : group;
}

import TestSequencer from '@jest/test-sequencer';

/**
 * Endurance files of which each `npm test` runs a part: kills of each target, generated programs,
 * and the plans of tables with many rows.
 */
const ALWAYS = /\/(chaos|enforcement\.property|replay|many-(approvals|code-runs)|large-(org|trail))\.endurance\.test\.ts$/;
/** Of the others, one in this many runs in `npm test`, chosen at random for each run. */
const ONE_IN = 20;

/**
 * Starts the file that measures its own process' memory first, since it needs a fresh process. Then
 * files that start processes or wait, by usual duration, longest first. All others take about a
 * second.
 */
const LONG = [
  /\/hostile\.endurance\.test\.ts$/,
  /\/look\.browser\.test\.ts$/,
  /\/chaos\//,
  /\.endurance\.test\.ts$/,
  /\/(stories|sandbox)\//,
  /\/(standalone|contract)\/|\.system\.test\.ts$/,
];

/**
 * Chooses the files of a run and their order. Without arguments, `npm test` runs a sample of the
 * project `endurance`: some of its files, and of those that import `extent.ts` a part.
 * Files that were asked for by path or by the names of their tests all run.
 */
export default class SampleAndOrder extends TestSequencer {
  #isSample;

  constructor(options) {
    super(options);
    const { testPathPatterns, testNamePattern, nonFlagArgs, runTestsByPath } = options.globalConfig;
    const isAsked = testPathPatterns.patterns.length > 0 || testNamePattern || runTestsByPath || nonFlagArgs.length > 0;
    this.#isSample = process.env.TEST_EXTENT !== 'whole' && !isAsked;
  }

  /**
   * Keeps Jest's own order within groups of files of similar length. Jest knows durations only of
   * files that it has run before.
   */
  async sort(tests) {
    const sorted = await super.sort(this.#isSample ? tests.filter(isInSample) : tests);
    return sorted.toSorted((a, b) => groupOf(a) - groupOf(b));
  }
}

function isInSample({ path, context }) {
  return context.config.displayName.name !== 'endurance' || ALWAYS.test(path) || Math.random() < 1 / ONE_IN;
}

function groupOf({ path }) {
  const group = LONG.findIndex((pattern) => pattern.test(path));
  return group === -1 ? LONG.length : group;
}

import TestSequencer from '@jest/test-sequencer';

/**
 * Endurance files that `npm test` always runs in part: kills of each target, generated programs,
 * replays of stored calls, and query plans for tables with many rows.
 */
const ALWAYS = /\/(chaos|enforcement\.property|replay|many-(approvals|code-runs)|large-(org|trail))\.endurance\.test\.ts$/;
/** `npm test` runs each other endurance file with a probability of one in this number. */
const ONE_IN = 20;

/**
 * The order of long test files. Files of hostile input come first, because one of them measures the
 * memory of its own process and needs a fresh process. Then come files that start processes or
 * wait, longest first. All other files take about a second.
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
 * Chooses the files of a run and their order. Without arguments, `npm test` runs only some files of
 * the project `endurance`. Files selected by path or by test name always run. In both cases,
 * `npm test` runs only a part of a file that imports `extent.ts`.
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
   * Sorts by the groups in `LONG`, and keeps Jest's own order within a group. Jest knows the
   * duration of a file only after it has run that file.
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

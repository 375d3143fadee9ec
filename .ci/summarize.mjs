import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const SLOWEST = 10;
/** Of the messages of a failed test, so that the end of a log shows every failure. */
const FAILURE_CHARACTERS = 2000;

// Arguments: what Jest's --json wrote for each run. A run that wrote nothing did not come to its
// tests, and counts as a failure.
const runs = process.argv.slice(2).map(readRun);
const files = runs
  .flatMap(({ testResults }) => testResults)
  .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }));

console.log(`The ${SLOWEST} slowest files:`);
for (const { name, seconds } of files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST))
  console.log(`${seconds.toFixed(1).padStart(7)} s  ${relative('', name)}`);

for (const { name, assertionResults, message } of runs.flatMap(({ testResults }) => testResults)) {
  const failures = assertionResults.filter(({ status }) => status === 'failed');
  const isBroken = failures.length === 0 && message !== '';
  for (const { fullName, failureMessages } of isBroken ? [{ fullName: 'the file', failureMessages: [message] }] : failures)
    console.log(`FAILED ${relative('', name)}: ${fullName}\n${plain(failureMessages.join('\n'))}`);
}

const count = (read) => runs.reduce((sum, run) => sum + read(run), 0);
console.log(`${count((run) => run.numPendingTests)} skipped`);
// A file that could not be run has no failed test of its own.
const failed = count((run) => Math.max(run.numFailedTests, Math.min(1, run.numFailedTestSuites)));
console.log(`${count((run) => run.numPassedTests)} passed, ${failed} failed`);

/** Without the colours of a terminal. */
function plain(text) {
  return stripVTControlCharacters(text).slice(0, FAILURE_CHARACTERS);
}

function readRun(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numFailedTestSuites: 1, testResults: [] };
  }
}

import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const SLOWEST = 10;
/** Of the messages of a failed test, so that the end of a log shows every failure. */
const FAILURE_CHARACTERS = 2000;

// Arguments: for each run the path, without its end, of what Jest's --json wrote. `X.again.json` is
// the second try of files that failed.
const runs = process.argv.slice(2).map((path) => ({ first: readReport(`${path}.json`), again: readReport(`${path}.again.json`) }));
const first = runs.flatMap((run) => run.first?.testResults ?? []);
const again = runs.flatMap((run) => run.again?.testResults ?? []);
const isTriedAgain = ({ name }) => again.some((file) => file.name === name);

console.log(`The ${SLOWEST} slowest files:`);
const slowest = first.map(timed).toSorted((a, b) => b.seconds - a.seconds);
for (const { name, seconds } of slowest.slice(0, SLOWEST)) console.log(`${seconds.toFixed(1).padStart(7)} s  ${relative('', name)}`);

for (const file of first.filter(isTriedAgain)) printFailures('FAILED AT FIRST', file);
const last = [...first.filter((file) => !isTriedAgain(file)), ...again];
for (const file of last) printFailures('FAILED', file);
const unstable = again.filter(({ status }) => status !== 'failed');
if (unstable.length > 0) console.log(`UNSTABLE, to be mended: ${unstable.map(({ name }) => relative('', name)).join(', ')}`);

// A run that wrote nothing did not come to its tests. A file that could not be run has no failed
// test of its own. Each counts as one failure.
const tests = last.flatMap(({ assertionResults }) => assertionResults);
const count = (...statuses) => tests.filter(({ status }) => statuses.includes(status)).length;
const broken = runs.filter((run) => !run.first).length + last.filter(isBroken).length;
console.log(`${count('pending', 'todo', 'skipped')} skipped`);
console.log(`${count('passed')} passed, ${count('failed') + broken} failed`);

function printFailures(title, file) {
  const failures = file.assertionResults.filter(({ status }) => status === 'failed');
  const named = isBroken(file) ? [{ fullName: 'the file', failureMessages: [file.message] }] : failures;
  for (const { fullName, failureMessages } of named)
    console.log(`${title} ${relative('', file.name)}: ${fullName}\n${plain(failureMessages.join('\n'))}`);
}

function isBroken({ status, assertionResults }) {
  return status === 'failed' && !assertionResults.some((test) => test.status === 'failed');
}

function timed({ name, startTime, endTime }) {
  return { name, seconds: (endTime - startTime) / 1000 };
}

/** Without the colours of a terminal. */
function plain(text) {
  return stripVTControlCharacters(text).slice(0, FAILURE_CHARACTERS);
}

function readReport(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

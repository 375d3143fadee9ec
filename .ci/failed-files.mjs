import { readFileSync } from 'node:fs';

/** More failures than this are no accident of a busy machine. */
const MOST = 3;

// Argument: what Jest's --json wrote. Prints the files that failed, one a line, if they are few.
const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const failed = testResults.filter(({ status }) => status === 'failed');
if (failed.length <= MOST) for (const { name } of failed) console.log(name);

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Bar } from './bar.ts';

const SCRIPTS = [
  ...['policies', 'rest', 'tools-call', 'many-tools', 'approvals', 'decisions', 'waiting', 'deliveries', 'first-answers', 'code-run'],
  ...['screens', 'peers', 'spinning', 'at-rest'],
];
/** Scripts that run together, because other load does not change what they measure. */
const TOGETHER = ['paused-runs', 'memory'];
/** Scripts without bars, which run only when named. */
const UNRATED = ['processor-time', 'sandbox-pass', 'search'];

/**
 * `npm run bench [-- rest decisions …]`. Returns true if every script succeeded and every bar
 * passed.
 */
async function runBenches(names: string[]): Promise<boolean> {
  const bars: (Bar & { command: string })[] = [];
  const failed: string[] = [];
  const run = async (name: string) => {
    console.log(`\n${name}`);
    const startedAt = performance.now();
    const script = fork(join(import.meta.dirname, `${name}.ts`));
    script.on('message', (found: Bar[]) => bars.push(...found.map((bar) => ({ ...bar, command: `npm run bench -- ${name}` }))));
    const [code, signal] = await once(script, 'exit');
    console.log(`${name} took ${Math.round((performance.now() - startedAt) / 1000)} s`);
    if (code === 0) return;
    failed.push(name);
    console.log(`${name} failed: ${signal ?? `exit code ${code}`}`);
  };
  for (const name of names.filter((one) => !TOGETHER.includes(one))) await run(name);
  await Promise.all(names.filter((one) => TOGETHER.includes(one)).map(run));
  if (names.length > 1) console.table(Object.fromEntries(bars.map(({ bar, ...figures }) => [bar, figures])));
  if (failed.length > 0) console.log(`Failed: ${failed.join(', ')}`);
  return failed.length === 0 && bars.every(({ pass }) => pass === 'yes');
}

const rated = [...SCRIPTS, ...TOGETHER];
const all = [...rated, ...UNRATED];
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}. There are: ${all.join(', ')}.`);
  process.exit(2);
}
process.exitCode = (await runBenches(asked.length > 0 ? asked : rated)) ? 0 : 1;

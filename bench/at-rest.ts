import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { childEnvironment } from '../infra/config.ts';
import { type Bar, goalBar } from './bar.ts';
import { type Process, treeOf } from './processes.ts';
import { printBars } from './report.ts';

/** Time in ms until start-up work, garbage collection and idle connections have ended. */
const REST_MS = 30_000;
const GOAL_MB = { pss: 400, rss: 600 };

printBars(await atRestBars());

/** node bench/at-rest.ts: bar 14, the memory of all processes of `npm start` at rest. */
async function atRestBars(): Promise<Bar[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-at-rest-'));
  const main = join(import.meta.dirname, '../standalone/main.ts');
  const service = spawn(process.execPath, [main], {
    env: childEnvironment({ DATA_DIR: join(folder, 'data') }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let said = '';
    for await (const chunk of service.stdout) {
      said += chunk;
      if (said.includes('Ready.')) break;
    }
    if (!said.includes('Ready.')) throw new Error(`npm start did not become ready: ${said}`);
    await delay(REST_MS);
    const all = treeOf(service.pid!).map(memoryOf);
    const sum = (of: 'pss' | 'rss') => all.reduce((total, process) => total + process[of], 0) / 1024;
    for (const { name, pss, rss } of all.toSorted((a, b) => b.pss - a.pss).slice(0, 10))
      console.log(`${name.padEnd(60)} ${Math.round(pss / 1024)} MB PSS, ${Math.round(rss / 1024)} MB RSS`);
    return [
      goalBar('14 memory at rest of all processes, PSS', GOAL_MB.pss, [sum('pss')], 'MB'),
      goalBar('14 the same, RSS', GOAL_MB.rss, [sum('rss')], 'MB'),
    ];
  } finally {
    const ended = once(service, 'exit');
    service.kill('SIGINT');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The memory of a process in kilobytes. */
function memoryOf({ pid, command }: Process): { name: string; pss: number; rss: number } {
  const rollup = read(`/proc/${pid}/smaps_rollup`);
  const of = (field: string) => Number(new RegExp(`^${field}: *(\\d+) kB`, 'm').exec(rollup)?.[1] ?? 0);
  return { name: command.slice(-60), pss: of('Pss'), rss: of('Rss') };
}

/** Empty for a process that has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import type { TestBed } from '../test/support/test-bed.ts';
import { type Bar, goalBar, median, rateGoalBar } from './bar.ts';
import { openServer } from './open-server.ts';
import { report } from './report.ts';

const ROUNDS = 5;
const RUNS_A_ROUND = 12;
/** Pause in ms between two runs, in which an agent would read the answer. */
const PAUSE_MS = 300;
const AT_ONCE = 8;
const TOGETHER_MS = 5000;

/**
 * node bench/first-answers.ts: the time to the answer of `return 1` over REST, on a durable
 * Postgres.
 */
await report(firstAnswerBars, { durable: true });

async function firstAnswerBars(bed: TestBed): Promise<Bar[]> {
  const { post, serverId } = await openServer(bed, { mode: 'CODE', integrations: [] });
  const run = async () => {
    const startedAt = performance.now();
    const { structuredContent } = await post(`/mcp/servers/${serverId}/execute-code`, { code: 'return 1' });
    if (structuredContent?.status !== 'executed') throw new Error(`not executed: ${JSON.stringify(structuredContent)}`);
    return performance.now() - startedAt;
  };
  const round = async (pauseMs: number) => {
    const times: number[] = [];
    for (let count = 0; count < RUNS_A_ROUND; count += 1) {
      if (pauseMs > 0) await delay(pauseMs);
      times.push(await run());
    }
    return median(times);
  };
  const together = async () => {
    let ended = 0;
    const until = performance.now() + TOGETHER_MS;
    const caller = async () => {
      for (; performance.now() < until; ended += 1) await run();
    };
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: AT_ONCE }, caller));
    return ended / ((performance.now() - startedAt) / 1000);
  };
  return [
    goalBar('first answer of `return 1`, after a pause, p50', 20, await rounds(() => round(PAUSE_MS)), 'ms'),
    goalBar('the same, one right after another, p50', 25, await rounds(() => round(0)), 'ms'),
    rateGoalBar(`runs of \`return 1\`, ${AT_ONCE} at once`, 60, await rounds(together)),
  ];
}

async function rounds(measure: () => Promise<number>): Promise<number[]> {
  await measure();
  const figures: number[] = [];
  for (let count = 0; count < ROUNDS; count += 1) figures.push(await measure());
  return figures;
}

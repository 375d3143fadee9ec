import { setTimeout as delay } from 'node:timers/promises';
import { openTestBed } from '../test/support/test-bed.ts';
import { openServer, type Post } from './open-server.ts';

/** node bench/code-run.ts: from the request to the first answer of an ungated code run, over REST, on a Postgres that keeps what it commits. */
const ROUNDS = 60;
const PROGRAMS = {
  'return 1': 'return 1',
  'one call': "return (await svc.hash_encode.hash({ text: 'x' })).digest",
  'ten calls': "let d = 'x'; for (let i = 0; i < 10; i += 1) d = (await svc.hash_encode.hash({ text: d })).digest; return d",
};

const { bed, close } = openTestBed({ durable: true });
try {
  const { post, serverId } = await openServer(bed, { mode: 'CODE', integrations: ['hash-encode'] });
  const rows: Record<string, object> = {};
  for (const [name, code] of Object.entries(PROGRAMS)) {
    // A runner is started ahead for the next run; with a pause it is ready, without one the run waits for it.
    rows[`${name}, one every 300 ms`] = await measure(post, serverId, code, 300);
    rows[`${name}, back to back`] = await measure(post, serverId, code, 0);
  }
  console.table(rows);
} finally {
  await close();
}

async function measure(post: Post, serverId: string, code: string, pauseMs: number): Promise<object> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    const { structuredContent } = await post(`/mcp/servers/${serverId}/execute-code`, { code });
    times.push(performance.now() - startedAt);
    if (structuredContent?.status !== 'executed') throw new Error(`the run did not execute: ${JSON.stringify(structuredContent)}`);
    await delay(pauseMs);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)]!.toFixed(1);
  return { 'p50 ms': at(0.5), 'p90 ms': at(0.9), 'p99 ms': at(0.99) };
}

import { setTimeout as delay } from 'node:timers/promises';
import type { TestBed } from '../test/support/test-bed.ts';
import { type Bar, timeBar } from './bar.ts';
import { openServer } from './open-server.ts';
import { report } from './report.ts';
import { ownMemoryMb, runnersOf, servicePids } from './service-memory.ts';

const RUNS = Number(process.argv[2] ?? 1000);
const AT_ONCE = 8;
const GOAL_MB = 50;
/** The first program pauses before it runs, the second during its first pass. */
const PROGRAMS = [
  "return svc.hash_encode.hash({ text: 'x' })",
  "const { text } = await svc.hash_encode.decode({ encoded: 'aGFzaA==', encoding: 'base64' }); return svc.hash_encode[text]({ text })",
];

/** `node bench/paused-runs.ts [RUNS]` measures bar 14: memory and processes of waiting runs. */
await report(pausedBars);

async function pausedBars(bed: TestBed): Promise<Bar[]> {
  const { post, serverId, workspaceId } = await openServer(bed, { mode: 'CODE', integrations: ['hash-encode'] });
  await post('/approval-policies', { name: 'Hashes', workspaceId, actionNames: ['hash'], riskMode: 'always' });
  const pause = async (n: number) => {
    const { structuredContent } = await post(`/mcp/servers/${serverId}/execute-code`, { code: PROGRAMS[n % PROGRAMS.length] });
    if (structuredContent?.status !== 'approval_required') throw new Error(`the run did not pause: ${JSON.stringify(structuredContent)}`);
  };
  const pauseMany = async (count: number) => {
    for (let n = 0; n < count; n += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => pause(n + i)));
  };
  await pauseMany(10 * AT_ONCE); // warm-up: code, connections, plans, kept runners
  const before = await ownMemoryMb();
  const runnersBefore = runnersOf(servicePids().worker);
  await pauseMany(RUNS);
  await untilCalm(runnersBefore);
  const grown = (await ownMemoryMb()) - before;
  const runners = runnersOf(servicePids().worker);
  return [
    timeBar(`14 memory of ${RUNS} paused runs, against ${GOAL_MB} MB`, 1, { ours: [Math.max(0.1, grown)], reference: [GOAL_MB] }, 'MB'),
    timeBar('14 processes of the worker meanwhile, against before', 1, { ours: [runners], reference: [runnersBefore] }, 'processes'),
  ];
}

async function untilCalm(before: number): Promise<void> {
  const { worker } = servicePids();
  for (const end = Date.now() + 60_000; Date.now() < end && runnersOf(worker) > before; ) await delay(1000);
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { confinementsFor } from '../sandbox/host/confinement.ts';
import { driveRunner } from '../sandbox/host/drive-runner.ts';
import { launchRunner } from '../sandbox/host/launch-runner.ts';
import { loadRunnerProgram } from '../sandbox/host/runner-program.ts';
import { readRunnable } from '../sandbox/reader/read-code.ts';
import type { TestBed } from '../test/support/test-bed.ts';
import { type Bar, inTurns, type Round, timeBar } from './bar.ts';
import { load } from './load.ts';
import { openServer } from './open-server.ts';
import { report } from './report.ts';

const SPINNING = 4;
const CONNECTIONS = 8;
const LIMIT_MS = 1000;
const SPIN = 'while (true);';
const RUNNING = "select count(*)::int as running from code_runs where mcp_server_id = $1 and status = 'running' and pass_number > 0";

/**
 * node bench/spinning.ts: bar 9: REST latency beside endless code runs, and how long spinning code
 * outlasts its time limit.
 */
await report(async (bed) => [await restBar(bed), await deadlineBar()]);

async function restBar(bed: TestBed): Promise<Bar> {
  const db = new pg.Client((await bed.system()).databaseUrl);
  await db.connect();
  const { apiUrl, key } = await openServer(bed, { mode: 'TOOLS', integrations: [] });
  const target = { origin: apiUrl, token: key, method: 'GET' as const, path: '/api/v1/workspaces', answers: 'workspaces' };
  const measure = () => load(target, CONNECTIONS);
  try {
    const rounds = await inTurns(
      () => whileRunsSpin(bed, db, measure),
      () => whileHogsSpin(measure),
    );
    const p99 = (side: Round[]) => side.map(({ p99Ms }) => p99Ms);
    const times = { ours: p99(rounds.ours), reference: p99(rounds.reference) };
    return timeBar(`9 GET p99 while ${SPINNING} runs spin, against ${SPINNING} plain programs`, 3, times);
  } finally {
    await db.end();
  }
}

async function whileRunsSpin(bed: TestBed, db: pg.Client, measure: () => Promise<Round>): Promise<Round> {
  const { apiUrl, key, post, serverId } = await openServer(bed, { mode: 'CODE', integrations: [] });
  const runs = Array.from({ length: SPINNING }, () => post(`/mcp/servers/${serverId}/execute-code`, { code: SPIN }));
  while ((await db.query(RUNNING, [serverId])).rows[0].running < SPINNING) await new Promise(setImmediate);
  const round = await measure();
  await fetch(`${apiUrl}/api/v1/mcp/servers/${serverId}`, { method: 'DELETE', headers: { authorization: `Bearer ${key}` } });
  await Promise.all(runs);
  return round;
}

async function whileHogsSpin(measure: () => Promise<Round>): Promise<Round> {
  const hogs: ChildProcess[] = Array.from({ length: SPINNING }, () => spawn(process.execPath, ['--eval', SPIN], { stdio: 'ignore' }));
  await Promise.all(hogs.map((hog) => once(hog, 'spawn')));
  try {
    return await measure();
  } finally {
    for (const hog of hogs) hog.kill('SIGKILL');
    await Promise.all(hogs.map((hog) => once(hog, 'close')));
  }
}

async function deadlineBar(): Promise<Bar> {
  const program = loadRunnerProgram();
  const [confinement] = confinementsFor(process.platform, process.getuid?.() === 0);
  const host = { onEvents: () => {}, nextCompletion: () => new Promise<never>(() => {}) };
  const principal = { orgId: 'o', workspaceId: 'w', endUserId: null };
  const limits = { timeMs: LIMIT_MS, memoryMb: 128 };
  const request = { principal, program: readRunnable(SPIN, 'svc'), surface: {}, seed: '', startedAt: 0, limits };
  const late: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const start = () => launchRunner({ program, confinement: confinement!, memoryMb: 128 });
    const runners = await Promise.all(Array.from({ length: SPINNING }, start));
    const spins = runners.map(async (runner) => {
      const startedAt = performance.now();
      await driveRunner(runner, request, host);
      await runner.exited;
      late.push(performance.now() - startedAt - LIMIT_MS);
    });
    await Promise.all(spins);
  }
  return timeBar('9 from the time limit of spinning code to its end, slowest, against 1 s', 1, {
    ours: [Math.max(...late)],
    reference: [1000],
  });
}

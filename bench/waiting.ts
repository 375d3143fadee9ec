import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import type { TestBed } from '../test/support/test-bed.ts';
import { type Bar, type Round, timeBar } from './bar.ts';
import { load, type Target } from './load.ts';
import { openServer } from './open-server.ts';
import { report } from './report.ts';

const WAITERS = 1000;
const AT_ONCE = 8;
const ROUNDS = 5;
const CONNECTIONS = 4;
const BEGIN_MS = 8000;
/** Longer than all measurements take together. */
const WAIT_SECONDS = 40;

/** node bench/waiting.ts: the p99 of reads beside a thousand requests that wait for a decision. */
await report(waitingBars, { durable: true });

async function waitingBars(bed: TestBed): Promise<Bar[]> {
  const { apiUrl, key, workspaceId, serverId, post } = await openServer(bed, { mode: 'CODE', integrations: ['hash-encode'] });
  await post('/approval-policies', { name: 'Hashes', workspaceId, actionNames: ['hash'], riskMode: 'always' });
  const path = `/mcp/servers/${serverId}/execute-code`;
  const approvalIds: string[] = [];
  const pause = async () => {
    const { structuredContent } = await post(path, { code: "return svc.hash_encode.hash({ text: 'x' })" });
    approvalIds.push(structuredContent.approval.id);
  };
  while (approvalIds.length < WAITERS) await Promise.all(Array.from({ length: AT_ONCE }, pause));

  const read: Target = { origin: apiUrl, token: key, method: 'GET', path: `/api/v1/workspaces/${workspaceId}`, answers: '"slug"' };
  const measure = () => load(read, CONNECTIONS);
  const alone = await rounds(measure);
  const pool = new Pool(apiUrl, { connections: WAITERS, headersTimeout: 120_000 });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const wait = async (approvalId: string) => {
    const body = JSON.stringify({ approvalId, waitForApprovalSeconds: WAIT_SECONDS });
    await (await pool.request({ method: 'POST', path: `/api/v1${path}`, headers, body })).body.dump();
  };
  const waiting = Promise.all(approvalIds.map(wait));
  const [beginning] = await Promise.all([load(read, CONNECTIONS, BEGIN_MS), delay(BEGIN_MS)]);
  const beside = await rounds(measure);
  await waiting;
  await pool.close();
  const p99 = (measured: Round[]) => measured.map(({ p99Ms }) => p99Ms);
  return [
    timeBar(`p99 of others while ${WAITERS} continuations wait`, 1.5, { ours: p99(beside), reference: p99(alone) }),
    timeBar('the same while the continuations arrive', 1.5, { ours: p99([beginning]), reference: p99(alone) }),
  ];
}

async function rounds(measure: () => Promise<Round>): Promise<Round[]> {
  await measure();
  const measured: Round[] = [];
  for (let count = 0; count < ROUNDS; count += 1) measured.push(await measure());
  return measured;
}

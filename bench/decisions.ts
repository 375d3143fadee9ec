import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import pg from 'pg';
import type { TestBed } from '../test/support/test-bed.ts';
import { type Bar, median, steadyRounds, timeBar } from './bar.ts';
import { openServer, type Post } from './open-server.ts';
import { report } from './report.ts';
import { startTemporalReference } from './start-temporal-reference.ts';

const DECISIONS_A_ROUND = 10;
/** Pause in ms. The service finishes its work for the previous answer in this time. */
const PAUSE_MS = 300;
const WAITERS = 200;
/** Runs approved one by one. The rest are approved together: a request waits at most a minute. */
const MEASURED = 100;
const CROWDS = 1;
const SETTLING_MS = 5000;
/** Pause in ms between two decisions, shorter than people need. */
const CROWD_PAUSE_MS = 150;
const AWAITED = 'select awaited_until > now() as awaited from code_runs where id = (select code_run_id from approvals where id = $1)';
const CODE = "return (await svc.hash_encode.hash({ text: 'x' })).digest";

/**
 * node bench/decisions.ts: bar 10, on a durable Postgres: the time from an approval to the answer
 * of a waiting execute-code.
 */
await report(decisionBars, { durable: true });

async function decisionBars(bed: TestBed): Promise<Bar[]> {
  const db = new pg.Pool({ connectionString: (await bed.system()).databaseUrl });
  const server = { ...(await openServer(bed, { mode: 'CODE', integrations: ['hash-encode'] })), db };
  await server.post('/approval-policies', { name: 'Hashes', workspaceId: server.workspaceId, actionNames: ['hash'], riskMode: 'always' });
  const reference = await startReference(bed);
  try {
    const oneRound = async () => ({
      ours: median(await round(() => approveOne(server))),
      reference: median(await round(reference.decideOne)),
    });
    const alone = await steadyRounds(oneRound, (ms) => ms);
    const [crowded, hurried] = [[] as number[], [] as number[]];
    for (let turn = 0; turn < CROWDS; turn += 1) {
      crowded.push(last(await among(server, CROWD_PAUSE_MS)));
      hurried.push(last(await among(server, 0)));
    }
    const inAll = alone.ours.map(() => median(alone.ours) + 100);
    return [
      timeBar('10 approve → waiting execute-code answers, p50', 1.2, alone),
      timeBar(`10 the same among ${WAITERS} waiters, p99, against p50 alone + 100 ms`, 1, { ours: crowded, reference: inAll }),
      timeBar(`10 among ${WAITERS} waiters, decided one right after another, p99`, 1, { ours: hurried, reference: inAll }),
    ];
  } finally {
    await reference.stop();
    await db.end();
  }
}

interface Server {
  post: Post;
  serverId: string;
  db: pg.Pool;
}

async function round(once: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < DECISIONS_A_ROUND; count += 1) times.push(await once());
  return times;
}

async function approveOne(server: Server): Promise<number> {
  const waiter = await wait(server);
  await delay(PAUSE_MS);
  return decide(server, waiter);
}

interface Waiter {
  approvalId: string;
  answer: Promise<{ at: number; status: string }>;
}

async function wait({ post, serverId, db }: Server): Promise<Waiter> {
  const path = `/mcp/servers/${serverId}/execute-code`;
  const { structuredContent } = await post(path, { code: CODE });
  const approvalId = structuredContent.approval.id as string;
  const answer = post(path, { approvalId, waitForApprovalSeconds: 60 }).then((answer) => ({
    at: performance.now(),
    status: answer.structuredContent?.status as string,
  }));
  for (let isAwaited = false; !isAwaited; await delay(5)) isAwaited = (await db.query(AWAITED, [approvalId])).rows[0]?.awaited ?? false;
  return { approvalId, answer };
}

async function decide({ post }: Server, { approvalId, answer }: Waiter): Promise<number> {
  const startedAt = performance.now();
  await post(`/approvals/${approvalId}/approve`, {});
  const { at, status } = await answer;
  if (status !== 'executed') throw new Error(`the run did not go on: ${status}`);
  return at - startedAt;
}

async function among(server: Server, pauseMs: number): Promise<number[]> {
  const waiting: Waiter[] = [];
  const asked = pLimit(8);
  await Promise.all(Array.from({ length: WAITERS }, () => asked(async () => waiting.push(await wait(server)))));
  await delay(SETTLING_MS);
  const times: number[] = [];
  for (const waiter of waiting.splice(0, MEASURED)) {
    await delay(pauseMs);
    times.push(await decide(server, waiter));
  }
  await Promise.all(waiting.map((waiter) => asked(() => decide(server, waiter))));
  return times.toSorted((a, b) => a - b);
}

function last(times: number[]): number {
  return times[Math.floor(times.length * 0.99)]!;
}

/**
 * Does only what an approval requires: a decision and a receipt in Postgres, a signal to Temporal.
 */
async function startReference(bed: TestBed): Promise<{ decideOne(): Promise<number>; stop(): Promise<void> }> {
  const [{ databaseUrl }, temporal] = [await bed.system(), await startTemporalReference(bed)];
  const { client, taskQueue } = temporal;
  const db = new pg.Client(databaseUrl);
  await db.connect();
  await db.query('create table if not exists bench_decisions (id uuid primary key, status text not null, expires_at timestamptz not null)');
  await db.query(
    'create table if not exists bench_receipts (id uuid primary key references bench_decisions, expires_at timestamptz not null)',
  );
  const decideOne = async () => {
    const id = randomUUID();
    await db.query("insert into bench_decisions values ($1, 'pending', now() + interval '1 hour')", [id]);
    const handle = await client.workflow.start('bareWorkflow', { taskQueue, workflowId: id });
    const result = handle.result();
    await delay(PAUSE_MS);
    const startedAt = performance.now();
    await db.query('begin');
    await db.query(
      "update bench_decisions set status = 'approved' where id = $1 and status = 'pending' and expires_at > now() returning *",
      [id],
    );
    await db.query("insert into bench_receipts values ($1, now() + interval '1 hour')", [id]);
    await db.query('commit');
    await handle.signal('decided');
    await result;
    return performance.now() - startedAt;
  };
  const stop = async () => {
    await temporal.stop();
    await db.end();
  };
  return { decideOne, stop };
}

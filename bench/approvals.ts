import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { openDatabase } from '../infra/database.ts';
import { copyRow } from '../test/support/table-contents.ts';
import type { TestBed } from '../test/support/test-bed.ts';
import { type Bar, goalBar, type Round, rateGoalBar, timeBar } from './bar.ts';
import { load, type Target } from './load.ts';
import { openServer } from './open-server.ts';
import { report } from './report.ts';
import { startReference } from './start-reference.ts';

const CONNECTIONS = 16;
const ROUNDS = 5;
const ROUND_MS = 2500;
/** Time in ms until the workflows and webhooks of the decided approvals have ended. */
const SETTLING_MS = 5000;
const ROWS = { few: 1000, many: 1_000_000 };

const perSecond = (measured: Round[]) => measured.map((round) => round.perSecond);
const p99 = (measured: Round[]) => measured.map(({ p99Ms }) => p99Ms);

/**
 * node bench/approvals.ts: requesting and deciding approvals with a webhook, and the first page of
 * `GET /approvals` among a thousand and among a million approvals, on a durable Postgres.
 */
await report(approvalBars, { durable: true });

async function approvalBars(bed: TestBed): Promise<Bar[]> {
  const webhook = await startReference('receiver.ts');
  const { apiUrl, key, workspaceId, post } = await openServer(bed, { mode: 'TOOLS', integrations: ['hash-encode'] });
  const approvers = [{ type: 'webhook', webhookUrl: `${webhook.origin}/` }];
  await post('/approval-policies', { name: 'Hashes', workspaceId, actionNames: ['hash'], riskMode: 'always', approvers });
  try {
    const decided = await rounds(() => askAndDecide(apiUrl, key, workspaceId));
    const list: Target = { origin: apiUrl, token: key, method: 'GET', path: '/api/v1/approvals', answers: '"total"' };
    const { databaseUrl } = await bed.system();
    await fillUp(databaseUrl, ROWS.few);
    await delay(SETTLING_MS);
    const few = await rounds(() => load(list, CONNECTIONS));
    await fillUp(databaseUrl, ROWS.many);
    const many = await rounds(() => load(list, CONNECTIONS));
    return [
      rateGoalBar(`ask and decide, ${CONNECTIONS} connections, webhook told`, 200, perSecond(decided)),
      goalBar('the same, p99 of the decisions', 100, p99(decided), 'ms'),
      rateGoalBar(`GET /approvals, first page, ${CONNECTIONS} connections`, 1000, perSecond(few)),
      goalBar('the same, p99', 50, p99(few), 'ms'),
      timeBar('the same among 1,000,000 approvals against 1,000, p99', 2, { ours: p99(many), reference: p99(few) }),
    ];
  } finally {
    webhook.stop();
  }
}

async function rounds(measure: () => Promise<Round>): Promise<Round[]> {
  await measure();
  const measured: Round[] = [];
  for (let count = 0; count < ROUNDS; count += 1) measured.push(await measure());
  return measured;
}

/** The times are those of the decisions. */
async function askAndDecide(origin: string, key: string, workspaceId: string): Promise<Round> {
  const pool = new Pool(origin, { connections: CONNECTIONS });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const post = async (path: string, body: object, status: number) => {
    const answer = await pool.request({ method: 'POST', path: `/api/v1${path}`, headers, body: JSON.stringify(body) });
    const text = await answer.body.text();
    if (answer.statusCode !== status) throw new Error(`${path}: ${answer.statusCode} ${text.slice(0, 200)}`);
    return JSON.parse(text);
  };
  const times: number[] = [];
  const startedAt = performance.now();
  const caller = async () => {
    while (performance.now() < startedAt + ROUND_MS) {
      const call = { workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text: randomUUID() } };
      const { approval } = await post('/actions/execute', call, 202);
      const askedAt = performance.now();
      await post(`/approvals/${approval.id}/approve`, {}, 200);
      times.push(performance.now() - askedAt);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, caller));
  const seconds = (performance.now() - startedAt) / 1000;
  await pool.close();
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)]!;
  return { perSecond: times.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
}

async function fillUp(databaseUrl: string, count: number): Promise<void> {
  const db = openDatabase({ url: databaseUrl, name: 'bench', maxConnections: 1 });
  try {
    const [decided] = await db('approvals').whereNot({ status: 'pending' }).limit(1).pluck('id');
    const [{ there }] = await db('approvals').select(db.raw('count(*)::int as there'));
    await copyRow(db, {
      ...{ table: 'approvals', id: decided, count: count - there },
      changes: {
        id: "'apr_' || left(replace(gen_random_uuid()::text, '-', ''), 22)",
        idempotency_key: 'gen_random_uuid()::text',
        created_at: "now() - n * interval '1 second'",
      },
    });
    await db.raw('vacuum analyze approvals');
  } finally {
    await db.destroy();
  }
}

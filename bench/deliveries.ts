import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { WEBHOOK_SLOTS } from '../domain/limits.ts';
import { type Db, openDatabase } from '../infra/database.ts';
import { copyRow } from '../test/support/table-contents.ts';
import type { TestBed } from '../test/support/test-bed.ts';
import { type Bar, inTurns, type Round, rateBar, timeBar } from './bar.ts';
import { openServer, type Post } from './open-server.ts';
import { report } from './report.ts';
import { startReference } from './start-reference.ts';

const DESTINATIONS = 4;
const COUNT = 1000;
const DEAD_COUNT = 100;
const DECISIONS = 100;
const WARM_UP = 10;
const GOAL_MS = 50;

/** node bench/deliveries.ts: signed webhook deliveries on a durable Postgres (bar 12). */
await report(deliveryBars, { durable: true });

async function deliveryBars(bed: TestBed): Promise<Bar[]> {
  const server = await openServer(bed, { mode: 'TOOLS', integrations: ['hash-encode'] });
  const db = openDatabase({ url: (await bed.system()).databaseUrl, name: 'bench', maxConnections: 2 });
  const receiver = await startReference('receiver.ts');
  try {
    const latencies = await decisionToAttempt(server);
    const urls = Array.from({ length: DESTINATIONS }, (_, index) => `${receiver.origin}/hook/${index}`);
    const living = await aPolicy(server.post, urls);
    const dead = await aPolicy(server.post, [`${receiver.origin}/dead`]);
    const { payload } = await db('webhook_deliveries').first('payload');
    const settings = { url: urls[0], count: COUNT, concurrency: WEBHOOK_SLOTS.ofDestination * DESTINATIONS, payload };
    const reference = await startReference('bare-webhooks.ts', settings);
    const rates = await inTurns(
      () => deliver(db, living),
      async () => rate(Number(await (await fetch(reference.origin)).text())),
    );
    reference.stop();
    const besideDead = await inTurns(
      () => deliver(db, living, dead),
      () => deliver(db, living),
    );
    return [
      rateBar('12 signed durable deliveries', 0.4, rates),
      timeBar('12 decision to first attempt, p50, against 50 ms', 1, { ours: latencies, reference: latencies.map(() => GOAL_MS) }),
      rateBar('12 deliveries beside a dead receiver, against without', 0.9, besideDead),
    ];
  } finally {
    receiver.stop();
    await db.destroy();
  }
}

/** Returns the ms from each decision to the arrival of its webhook, without the warm-up. */
async function decisionToAttempt({ post, workspaceId }: { post: Post; workspaceId: string }): Promise<number[]> {
  const waiting = new Map<string, () => void>();
  const server = createServer((request, response) => {
    waiting.get(`${request.headers['x-svc-event']} ${request.headers['x-svc-approval']}`)?.();
    request.resume().on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const arrival = (key: string) => new Promise<void>((resolve) => waiting.set(key, resolve));
  await aPolicy(post, [`http://127.0.0.1:${(server.address() as AddressInfo).port}`]);
  const times: number[] = [];
  for (let index = 0; index < DECISIONS; index += 1) {
    const call = { workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text: `latency ${index}` } };
    const { approval } = await post('/actions/execute', call);
    const arrived = arrival(`approval.approved ${approval.id}`);
    const startedAt = performance.now();
    void post(`/approvals/${approval.id}/approve`, {});
    await arrived;
    times.push(performance.now() - startedAt);
  }
  server.closeAllConnections();
  server.close();
  return times.slice(WARM_UP);
}

async function aPolicy(post: Post, urls: string[]): Promise<string> {
  const approvers = urls.map((webhookUrl) => ({ type: 'webhook', webhookUrl }));
  const { policy } = await post('/approval-policies', { name: 'Bench', riskMode: 'always', approvers });
  return policy.id;
}

/** `deadPolicyId`: a policy whose receiver never answers. Its deliveries are not waited for. */
async function deliver(db: Db, policyId: string, deadPolicyId?: string): Promise<Round> {
  const { id: approvalId } = await db('approvals').whereNot('id', 'like', 'bench_%').first('id');
  await db.transaction(async (tx) => {
    if (deadPolicyId) await insertDeliveries(tx, approvalId, deadPolicyId, DEAD_COUNT);
    await insertDeliveries(tx, approvalId, policyId, COUNT / DESTINATIONS);
  });
  const startedAt = performance.now();
  await db.raw("select pg_notify('webhook_deliveries_due', '')");
  const open = db('webhook_deliveries as d')
    .join('webhook_endpoints as e', 'e.id', 'd.endpoint_id')
    .where({ policy_id: policyId, status: 'pending' });
  while (await open.clone().first('d.id')) await delay(5);
  const ms = performance.now() - startedAt;
  await db('approvals').where('id', 'like', 'bench_%').delete();
  return rate(ms);
}

async function insertDeliveries(tx: Db, approvalId: string, policyId: string, count: number): Promise<void> {
  const changes = { id: "'bench_' || gen_random_uuid()", input_hash: 'gen_random_uuid()::text' };
  const made = await copyRow(tx, { ...{ table: 'approvals', id: approvalId, count }, changes });
  await tx.raw(
    `insert into webhook_deliveries (org_id, approval_id, endpoint_id, event_type, payload, next_attempt_at)
     select made.org_id, made.id, e.id, 'approval.requested', (select payload from webhook_deliveries limit 1), now()
     from approvals made, webhook_endpoints e where made.id = any(?) and e.policy_id = ?`,
    [made, policyId],
  );
}

function rate(ms: number): Round {
  return { perSecond: COUNT / (ms / 1000), p50Ms: ms, p99Ms: ms };
}

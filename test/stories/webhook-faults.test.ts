import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { Db } from '../../infra/database.ts';
import { patientDatabase } from '../support/patient-database.ts';
import { aReceiver, type Receiver } from '../support/receiver.ts';
import { type OwnSystem, startSystem } from '../support/system.ts';
import { aPolicy, aTenant, type Tenant } from '../support/tenant.ts';

const TIMEOUT_MS = 120_000;

let own: OwnSystem;
let db: Db;
let tenant: Tenant;
let receiver: Receiver;

beforeAll(async () => {
  [own, receiver] = await Promise.all([startSystem({ ownTemporal: true }), aReceiver()]);
  db = patientDatabase(own.databaseUrl);
  tenant = await aTenant(own);
  await aPolicy(tenant, {
    integrationNames: ['hash-encode'],
    approvers: [{ type: 'webhook', webhookUrl: `${receiver.url}/path-zq4711x` }],
  });
}, TIMEOUT_MS);
afterAll(async () => {
  await db.destroy();
  await Promise.all([own.stop(), receiver.close()]);
});
beforeEach(() => {
  receiver.received.length = 0;
});

let count = 0;
async function aGatedCall(): Promise<string> {
  count += 1;
  const call = { integrationName: 'hash-encode', actionName: 'hash', workspaceId: tenant.workspaceId, input: { text: `x${count}` } };
  return (await tenant.api.must(202).post('/api/v1/actions/execute', call)).approval.id;
}

async function until(approvalId: string, status: string) {
  for (;;) {
    const [delivery] = (await tenant.api.must(200).get(`/api/v1/approvals/${approvalId}`)).approval.webhookDeliveries;
    if (delivery.status === status) return delivery;
    await delay(50);
  }
}

const attempts = () => receiver.received.map(({ headers }) => [headers['x-svc-delivery'], headers['x-svc-attempt']]);

test(
  'after a worker is killed during an attempt, the next worker retries under the same delivery id',
  async () => {
    const held = Promise.withResolvers<void>();
    receiver.answerWith(() => held.promise.then(() => ({ status: 200 })));
    const approvalId = await aGatedCall();
    await receiver.has(1);
    await own.worker.kill();
    held.resolve();
    expect(await until(approvalId, 'pending')).toMatchObject({ attempt: 1 });
    // The killed worker's claim would last half a minute, so it is ended here.
    await db('webhook_deliveries').where({ approval_id: approvalId }).update({ in_flight_until: db.fn.now() });
    await own.worker.start();
    const { id } = await until(approvalId, 'success');
    expect(attempts()).toEqual([
      [id, '1'],
      [id, '2'],
    ]);
  },
  TIMEOUT_MS,
);

test(
  'a delivery is retried without its workflow, and histories have no address, link or secret',
  async () => {
    receiver.answerWith(() => ({ status: 500 }));
    const connection = await Connection.connect({ address: own.temporalAddress });
    const { workflow } = new Client({ connection });
    const approvalId = await aGatedCall();
    const { id } = await until(approvalId, 'retrying');
    await receiver.has(2); // the first retry, by Temporal
    const handle = workflow.getHandle(`webhook-delivery/${id}`);
    const history = JSON.stringify(JSON.parse(historyToJSON(await handle.fetchHistory())), (key, value) =>
      key === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value,
    );
    expect(history).toContain(id);
    expect(history).not.toMatch(/zq4711x|apr_link_v1_|whsec_/);
    await handle.terminate('by hand');

    receiver.answerWith(() => ({ status: 200 }));
    await db('webhook_deliveries')
      .where({ id })
      .update({ next_attempt_at: db.raw("now() - interval '16 seconds'"), in_flight_until: null });
    await until(approvalId, 'success');
    await connection.close();

    await own.temporal.stop();
    receiver.answerWith(() => ({ status: 500 }));
    const another = await aGatedCall();
    await until(another, 'retrying');
    receiver.answerWith(() => ({ status: 200 }));
    await db('webhook_deliveries')
      .where({ approval_id: another })
      .update({ next_attempt_at: db.raw("now() - interval '16 seconds'") });
    expect(await until(another, 'success')).toMatchObject({ attempt: 2 });
    await own.temporal.start();
  },
  TIMEOUT_MS,
);

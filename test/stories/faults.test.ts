import { patientDatabase } from '../support/patient-database.ts';
import { aReceiver, type Receiver } from '../support/receiver.ts';
import { type OwnSystem, QUICK_TO_TELL, startSystem } from '../support/system.ts';
import { aPolicy, aServer, aTenant, type Tenant } from '../support/tenant.ts';
import { until } from '../support/until.ts';

const TIMEOUT_MS = 120_000;

let own: OwnSystem;
let tenant: Tenant;
let upstream: Receiver;
let serverId: string;

beforeAll(async () => {
  [own, upstream] = await Promise.all([startSystem({ env: QUICK_TO_TELL, ownTemporal: true }), aReceiver()]);
  tenant = await aTenant(own);
  ({ id: serverId } = await aServer(tenant, 'CODE', ['http', 'kv-store', 'hash-encode']));
  await aPolicy(tenant, { integrationNames: ['kv-store'] });
}, TIMEOUT_MS);
afterAll(() => Promise.all([own.stop(), upstream.close()]));
beforeEach(() => {
  upstream.received.length = 0;
});

const path = () => `/api/v1/mcp/servers/${serverId}/execute-code`;
const approve = (id: string) => tenant.api.must(200).post(`/api/v1/approvals/${id}/approve`);

/** Starts a run that pauses in its middle, because the name of the gated action is computed. */
async function aPausedRun(): Promise<string> {
  const code = `
    await svc.http.send_request({ method: 'POST', url: '${upstream.url}/before' });
    const { text } = await svc.hash_encode.decode({ encoded: 'cHV0', encoding: 'base64' });
    await svc.kv_store[text]({ key: 'k', value: 1 });
    return (await svc.http.send_request({ method: 'POST', url: '${upstream.url}/after' })).status;`;
  const { structuredContent } = await tenant.api.must(200).post(path(), { code });
  expect(structuredContent.status).toBe('approval_required');
  expect(upstream.received.map((request) => request.path)).toEqual(['/before']);
  return structuredContent.approval.id;
}

async function expectFinished(approvalId: string): Promise<void> {
  const { structuredContent } = await tenant.api.must(200).post(path(), { approvalId, waitForApprovalSeconds: 60 });
  expect(structuredContent).toMatchObject({ status: 'executed', output: 200, actionsExecuted: 4 });
  expect(upstream.received.map((request) => request.path)).toEqual(['/before', '/after']);
}

test(
  'if a worker is killed while a run is paused, another worker finishes the run',
  async () => {
    const approvalId = await aPausedRun();
    await own.worker.kill();
    await approve(approvalId);
    await own.worker.start();
    await expectFinished(approvalId);
  },
  TIMEOUT_MS,
);

test(
  'after the API is killed while a continuation waits, the next continuation gets the result',
  async () => {
    const approvalId = await aPausedRun();
    const waiting = tenant.api.post(path(), { approvalId, waitForApprovalSeconds: 60 }).catch((error) => error);
    await untilWaiting(approvalId);
    await own.api.kill();
    expect((await waiting).message).toBe('fetch failed');
    await own.api.start();
    await approve(approvalId);
    await expectFinished(approvalId);
  },
  TIMEOUT_MS,
);

test(
  'a decision while Temporal is unreachable is stored, and is signaled when Temporal is back',
  async () => {
    const approvalId = await aPausedRun();
    await own.temporal.stop();
    expect((await approve(approvalId)).approval.status).toBe('approved');
    expect(await tenant.api.post(path(), { code: 'return 1' })).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
    await own.temporal.start();
    await own.worker.start();
    await expectFinished(approvalId);
  },
  TIMEOUT_MS,
);

test(
  'if a worker is killed during a call, the run reports an unknown outcome',
  async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    upstream.answerWith(() => held.then(() => ({ status: 200 })));
    const running = tenant.api.post(path(), { code: `return svc.http.send_request({ method: 'POST', url: '${upstream.url}/slow' })` });
    await upstream.has(1);
    await own.worker.kill();
    release();
    await own.worker.start();
    expect((await running).body).toMatchObject({
      isError: true,
      structuredContent: { status: 'failed', error: { code: 'CODE_CALL_OUTCOME_UNKNOWN' } },
    });
    expect(upstream.received).toHaveLength(1);
    const { activity } = await tenant.api.must(200).get('/api/v1/activity?type=call.outcome_unknown');
    expect(activity).toMatchObject([{ actionName: 'send_request', codeRunId: expect.stringMatching(/^crun_/), actorType: 'system' }]);
  },
  TIMEOUT_MS,
);

async function untilWaiting(approvalId: string): Promise<void> {
  const db = patientDatabase(own.databaseUrl);
  const runId = db('approvals').where({ id: approvalId }).select('code_run_id');
  await until(() => db('code_runs').whereIn('id', runId).whereNotNull('awaited_until').first());
  await db.destroy();
}

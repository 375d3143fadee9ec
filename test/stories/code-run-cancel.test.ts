import { cancelCodeRun } from '../../commands/code-runs/cancel-code-run.ts';
import type { Gateway } from '../../commands/gateway.ts';
import { openGateway } from '../../composition/open-gateway.ts';
import { readConfig } from '../../infra/config.ts';
import { aCodeServer, type CodeServer, openBehind, startedWorkflow } from '../support/code-runs.ts';
import { aReceiver, type Receiver } from '../support/receiver.ts';
import { system, testEnvironment } from '../support/system.ts';
import { aPolicy, aTenant, type Tenant } from '../support/tenant.ts';
import { until } from '../support/until.ts';

let behind: Awaited<ReturnType<typeof openBehind>>;
let gateway: Gateway & { close(): Promise<void> };
let tenant: Tenant;
let upstream: Receiver;
let server: CodeServer;

beforeAll(async () => {
  behind = await openBehind();
  const [{ databaseUrl, temporalAddress }, env] = await Promise.all([system(), testEnvironment()]);
  gateway = openGateway(readConfig({ ...env, DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: temporalAddress, LOG_LEVEL: 'silent' }), 'api');
});
afterAll(async () => {
  await gateway.close();
  await behind.close();
});
beforeEach(async () => {
  [tenant, upstream] = await Promise.all([aTenant(), aReceiver()]);
  server = await aCodeServer(tenant, ['http', 'hash-encode']);
});
afterEach(() => upstream.close());

const SPINS = `await svc.hash_encode.hash({ text: 'x' }); await svc.http.send_request({ method: 'POST', url: URL, timeout: 60 }); for (;;);`;
const spins = () => SPINS.replace('URL', `'${upstream.url}'`);

async function aSpinningRun() {
  const answer = server.execute({ code: spins() });
  await upstream.has(1);
  const id = await server.lastRunId();
  await until(() => behind.db('calls').where({ code_run_id: id, status: 'succeeded', call_number: 1 }).first());
  return { id, answer, workflow: await startedWorkflow(behind.temporal, id) };
}

const canceled = (message: RegExp) => ({
  isError: true,
  structuredContent: { status: 'approval_canceled', error: { code: 'CODE_RUN_CANCELED', message: expect.stringMatching(message) } },
});

const trailOf = async (id: string) => {
  const { activity } = await tenant.api.must(200).get('/api/v1/activity?type=code_run.canceled');
  return activity.filter(({ codeRunId }: { codeRunId: string }) => codeRunId === id);
};

// An uncanceled pass would run for five minutes. So the early end of the workflow shows that the
// pass was stopped.
test('cancelCodeRun stops a run in the middle of its code, and the activity log names the actor', async () => {
  const { id, answer, workflow } = await aSpinningRun();
  await cancelCodeRun(gateway, { codeRunId: id, by: { type: 'api_key', id: 'a-key' }, reason: 'enough' });
  expect(await answer).toMatchObject(canceled(/through the API: enough/));
  expect(await workflow.result()).toBe('canceled');
  expect(await trailOf(id)).toMatchObject([{ actorType: 'api_key', actorId: 'a-key', details: { reason: 'enough' } }]);
  await cancelCodeRun(gateway, { codeRunId: id, by: { type: 'api_key', id: 'another' } });
  expect(await trailOf(id)).toHaveLength(1);
});

test('the signal `cancel` stops a run, and the activity log names an unverified operator', async () => {
  const { id, answer, workflow } = await aSpinningRun();
  await workflow.signal('cancel', { reason: 'it spins', by: 'Ada' });
  expect(await answer).toMatchObject(canceled(/by an operator: it spins/));
  expect(await workflow.result()).toBe('canceled');
  expect(await trailOf(id)).toMatchObject([
    { actorType: 'operator', actorId: 'unverified', details: { reason: 'it spins', sender: expect.any(String) } },
  ]);
});

test('a cancellation of the workflow in Temporal stops the run, during a pass and at a gate', async () => {
  const { id, answer, workflow } = await aSpinningRun();
  await workflow.cancel();
  expect(await answer).toMatchObject(canceled(/by an operator/));
  await expect(workflow.result()).rejects.toThrow();
  expect((await workflow.describe()).status.name).toBe('CANCELLED');
  expect(await trailOf(id)).toMatchObject([{ actorType: 'operator' }]);

  await aPolicy(tenant, { integrationNames: ['hash-encode'] });
  const { approval } = await server.run({ code: spins() });
  const paused = await startedWorkflow(behind.temporal, await server.lastRunId());
  await paused.cancel();
  await expect(paused.result()).rejects.toThrow();
  expect(await server.execute({ approvalId: approval.id })).toMatchObject(canceled(/by an operator/));
  expect((await tenant.api.must(200).get(`/api/v1/approvals/${approval.id}`)).approval).toMatchObject({ status: 'canceled' });
});

test.each(['mcp/servers', 'end-users', 'workspaces'])(
  'deleting a record that a run belongs to (%s) stops the run in the middle of its code',
  async (what) => {
    const ids: Record<string, string> = { 'mcp/servers': server.id, workspaces: tenant.workspaceId };
    if (what === 'end-users') {
      const { endUser } = await tenant.api.must(201).post('/api/v1/end-users', { workspaceId: tenant.workspaceId, externalId: 'ann' });
      ids[what] = endUser.id;
      await tenant.api.must(200).patch(`/api/v1/mcp/servers/${server.id}`, { endUserId: 'ann' });
    }
    const { answer, workflow } = await aSpinningRun();
    await tenant.api.must(200).delete(`/api/v1/${what}/${ids[what]}`);
    expect(await answer).toMatchObject(canceled(/was deleted/));
    expect(await workflow.result()).toBe('canceled');
  },
);

test('calls in flight of a canceled run are recorded, and no further call starts', async () => {
  const held = Promise.withResolvers<void>();
  upstream.answerWith(async () => {
    await held.promise;
    return { status: 201, body: '{"made":true}' };
  });
  const post = (n: number) => `svc.http.send_request({ method: 'POST', url: '${upstream.url}/${n}' })`;
  const twelve = Array.from({ length: 12 }, (_, n) => post(n));
  const answer = server.execute({ code: `await Promise.all([${twelve.join(', ')}]); return 1` });
  await upstream.has(10);
  const id = await server.lastRunId();
  const workflow = await startedWorkflow(behind.temporal, id);
  await workflow.signal('cancel');
  expect(await answer).toMatchObject(canceled(/by an operator/));
  expect(await workflow.result()).toBe('canceled');
  const statuses = () => behind.db('calls').where({ code_run_id: id }).orderBy('call_number').pluck('status');
  expect(await statuses()).toEqual(Array(10).fill('executing'));
  held.resolve();
  await until(async () => (await statuses()).every((status) => status === 'succeeded'));
  expect(upstream.received).toHaveLength(10);
});

test('after the end of a run, a call without an outcome is marked unknown ten minutes after its start', async () => {
  const { id, workflow } = await aSpinningRun();
  await workflow.signal('cancel');
  await workflow.result();
  await behind
    .db('calls')
    .where({ code_run_id: id, call_number: 1 })
    .update({
      status: 'executing',
      outcome: null,
      finished_at: null,
      started_at: behind.db.raw("now() - interval '11 minutes'"),
    });
  await until(() => behind.db('calls').where({ code_run_id: id, call_number: 1, status: 'unknown' }).first());
  const { activity } = await tenant.api.must(200).get('/api/v1/activity?type=call.outcome_unknown');
  expect(activity).toMatchObject([{ codeRunId: id, integrationName: 'http' }]);
});

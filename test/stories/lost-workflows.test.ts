import { aCodeServer, type CodeServer, openBehind, startedWorkflow } from '../support/code-runs.ts';
import { aReceiver, type Receiver } from '../support/receiver.ts';
import { system } from '../support/system.ts';
import { aPolicy, aTenant, type Tenant } from '../support/tenant.ts';
import { until } from '../support/until.ts';

let behind: Awaited<ReturnType<typeof openBehind>>;
let tenant: Tenant;
let upstream: Receiver;
let server: CodeServer;

beforeAll(async () => {
  behind = await openBehind();
});
afterAll(() => behind.close());
beforeEach(async () => {
  [tenant, upstream] = await Promise.all([aTenant(), aReceiver()]);
  server = await aCodeServer(tenant, ['http']);
});
afterEach(() => upstream.close());

const post = () => `await svc.http.send_request({ method: 'POST', url: '${upstream.url}', timeout: 60 })`;
const workflowOf = (id: string) => behind.temporal.workflow.getHandle(`code-run/${id}`);
const statusOf = async (id: string) => (await behind.db('code_runs').where({ id }).first('status'))?.status;
/** Makes a run look an hour older, so that the reconciliation checks its workflow now. */
const letTimePass = (id: string) =>
  behind
    .db('code_runs')
    .where({ id })
    .update({ seen_at: behind.db.raw("now() - interval '1 hour'"), created_at: behind.db.raw("created_at - interval '1 hour'") });

async function aWaitingRun(): Promise<{ id: string; approvalId: string }> {
  await aPolicy(tenant, { integrationNames: ['http'] });
  const { approval } = await server.run({ code: `return (${post()}).status` });
  const id = await server.lastRunId();
  await startedWorkflow(behind.temporal, id);
  return { id, approvalId: approval.id };
}

async function forget(id: string): Promise<void> {
  const { temporalNamespace: namespace } = await system();
  await behind.temporal.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId: `code-run/${id}` } });
  await until(() =>
    workflowOf(id)
      .describe()
      .then(
        () => false,
        () => true,
      ),
  );
}

const canceledBy = {
  status: 'approval_canceled',
  error: { code: 'CODE_RUN_CANCELED', message: expect.stringContaining('by an operator') },
};

test('a run whose workflow an operator terminates is canceled, with its pending approvals', async () => {
  const { id, approvalId } = await aWaitingRun();
  await workflowOf(id).terminate('not like this');
  await letTimePass(id);
  await until(async () => (await statusOf(id)) === 'canceled');
  expect(await server.run({ approvalId })).toMatchObject(canceledBy);
  expect((await tenant.api.must(200).get(`/api/v1/approvals/${approvalId}`)).approval.status).toBe('canceled');
  const { activity } = await tenant.api.must(200).get('/api/v1/activity?type=code_run.canceled');
  expect(activity).toMatchObject([{ codeRunId: id, actorType: 'operator', details: { reason: 'not like this' } }]);
});

test('after the workflow of a run was terminated, a continuation executes nothing', async () => {
  const { id, approvalId } = await aWaitingRun();
  await workflowOf(id).terminate();
  await server.approve(approvalId);
  expect(await server.run({ approvalId })).toMatchObject(canceledBy);
  expect(upstream.received).toHaveLength(0);
});

test('a running pass stops when its workflow is terminated', async () => {
  const answer = server.run({ code: `${post()}; for (;;);` });
  await upstream.has(1);
  const id = await server.lastRunId();
  await (await startedWorkflow(behind.temporal, id)).terminate();
  await letTimePass(id);
  expect(await answer).toMatchObject(canceledBy);
});

test('if Temporal has lost the workflow of a run, a new workflow is started', async () => {
  const { id, approvalId } = await aWaitingRun();
  await forget(id);
  await server.approve(approvalId);
  expect(await server.run({ approvalId })).toMatchObject({ status: 'executed', output: 200 });
  expect(await workflowOf(id).result()).toBe('executed');

  const { approval } = await server.run({ code: `return (${post()}).status` });
  const another = await server.lastRunId();
  await startedWorkflow(behind.temporal, another);
  await forget(another);
  await letTimePass(another);
  expect(
    (
      await until(() =>
        workflowOf(another)
          .describe()
          .catch(() => false as const),
      )
    ).status.name,
  ).toBe('RUNNING');
  await server.approve(approval.id);
  expect(await server.run({ approvalId: approval.id })).toMatchObject({ status: 'executed', output: 200 });
  expect(upstream.received).toHaveLength(2);
});

test('a recorded run that never started is deleted', async () => {
  await server.run({ code: 'return 1' });
  const row = await behind
    .db('code_runs')
    .where({ id: await server.lastRunId() })
    .first();
  const id = 'crun_NeverStarted';
  const unstarted = {
    status: 'running',
    tool_surface_hash: null,
    plan: null,
    pass_number: 0,
    result: null,
    finished_at: null,
    workflow_due_at: null,
  };
  await behind.db('code_runs').insert({ ...row, id, ...unstarted });
  await letTimePass(id);
  await until(async () => (await statusOf(id)) === undefined);
});

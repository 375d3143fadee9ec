import { randomUUID } from 'node:crypto';
import { anOperatorCode } from '../support/operator-codes.ts';
import { aPolicy, aServer } from '../support/tenant.ts';
import { useOperatorBed } from './operator-bed.ts';

const { bed, aGatedCall, workflowOf, approvalOf, isRefused, isSettledBy } = useOperatorBed();

describe('with access only to Temporal', () => {
  test('forged signals, a forged workflow and a reset of the workflow leave the approval pending', async () => {
    const id = await aGatedCall();
    await workflowOf(id).signal('settled', { status: 'approved' });
    await workflowOf(id).signal('approve', { code: 'x' });
    await isRefused(id, 'approve.');

    for (const input of [{ approvalId: id, expiresAt: 0 }, { approvalId: id, expiresAt: 'never' }, { approvalId: id }]) {
      const options = { taskQueue: bed.taskQueue, workflowId: `forged/${randomUUID()}`, args: [input] };
      const forgery = await bed.temporal.workflow.signalWithStart('approvalWorkflow', { ...options, signal: 'settled', signalArgs: [] });
      await forgery.signal('approve', { by: 'boss@example.com' });
      await forgery.terminate();
    }
    const { runId } = await workflowOf(id).describe();
    await bed.connection.workflowService.resetWorkflowExecution({
      namespace: bed.temporal.options.namespace,
      workflowExecution: { workflowId: `approval/${id}`, runId },
      reason: 'x',
      requestId: randomUUID(),
      workflowTaskFinishEventId: 4 as never, // protobufjs accepts a number as a Long
    });
    expect((await approvalOf(id)).status).toBe('pending');
    await isSettledBy(id, 'reject', 'rejected');
  });

  test('a rejected approval stays rejected if its restarted workflow gets a valid code', async () => {
    const id = await aGatedCall();
    const code = await anOperatorCode(id);
    await isSettledBy(id, 'reject', 'rejected');
    const again = await bed.temporal.workflow.signalWithStart('approvalWorkflow', {
      ...{ taskQueue: bed.taskQueue, workflowId: `approval/${id}`, args: [{ approvalId: id, expiresAt: Date.now() + 60_000 }] },
      ...{ signal: 'approve', signalArgs: [{ code }] },
    });
    expect(await again.result()).toBe('rejected');
    expect((await approvalOf(id)).status).toBe('rejected');
  });

  test('an activity started with forged input approves nothing', async () => {
    const id = await aGatedCall();
    const run = (decisions: unknown) =>
      bed.temporal.activity
        .start('settleApproval', {
          ...{
            id: randomUUID(),
            taskQueue: `${bed.taskQueue}-decisions`,
            startToCloseTimeout: '10 seconds',
            retry: { maximumAttempts: 1 },
          },
          args: [{ approvalId: id, decisions }],
        })
        .then((handle) => handle.result());
    const forgeries: unknown[] = [
      [{ decision: 'approve', nth: 0, by: 'boss@example.com', isRecorded: false }],
      [{ decision: 'approve', nth: 0, code: `opc_x.${'a'.repeat(43)}` }],
      [{ decision: 'constructor', nth: 0 }, null, 7],
      { length: 1, 0: { decision: 'approve' } },
    ];
    for (const decisions of forgeries) expect(await run(decisions)).toMatchObject({ status: 'pending' });
    expect((await approvalOf(id)).status).toBe('pending');
  });

  test.each([[null], [7], ['x'], [{}], [{ approvalId: { a: 1 }, decisions: [] }], [[]]])(
    'an activity started with %j fails as InputInvalid and is not retried',
    async (input) => {
      const start = (name: string) =>
        bed.temporal.activity.start(name, {
          ...{
            id: randomUUID(),
            taskQueue: `${bed.taskQueue}-decisions`,
            startToCloseTimeout: '10 seconds',
            scheduleToCloseTimeout: '5 minutes',
          },
          args: [input],
        });
      for (const name of ['settleApproval', 'cancelCodeRun']) {
        const failure = await (await start(name)).result().catch((error: Error) => error.cause);
        expect(failure).toMatchObject({ type: 'InputInvalid', nonRetryable: true });
      }
    },
  );

  test('a run does not continue after a forged settled signal or a forged continuation update', async () => {
    const { id: serverId } = await aServer(bed.tenant, 'CODE', ['datetime']);
    await aPolicy(bed.tenant, { integrationNames: ['datetime'] });
    const path = `/api/v1/mcp/servers/${serverId}/execute-code`;
    const { structuredContent } = await bed.tenant.api
      .must(200)
      .post(path, { code: "return svc.datetime.parse_date({ dateString: '2026-01-01' })" });
    const approvalId: string = structuredContent.approval.id;
    const { codeRunId } = (await approvalOf(approvalId)).inputPreview;
    const run = bed.temporal.workflow.getHandle(`code-run/${codeRunId}`);
    for (const args of [[approvalId], ['apr_x'], [], [{ status: 'approved' }]]) await run.signal('approvalSettled', ...args);
    expect(await run.executeUpdate('continue')).toBe('waiting');
    const forged = {
      taskQueue: bed.taskQueue,
      workflowId: `forged/${randomUUID()}`,
      args: [{ codeRunId, orgId: randomUUID(), status: 'approved' }],
    };
    const forgery = await bed.temporal.workflow.start('codeRunWorkflow', forged);
    expect(await forgery.executeUpdate('continue')).toBe('waiting');
    await forgery.terminate();
    expect((await approvalOf(approvalId)).status).toBe('pending');
    expect(await bed.db('calls').where({ code_run_id: codeRunId, status: 'succeeded' })).toEqual([]);
    await run.signal('cancel');
    expect(await run.result()).toBe('canceled');
  });
});

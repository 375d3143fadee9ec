import { executeCode } from '../../../commands/code-runs/execute-code.ts';
import { startDueWorkflows } from '../../../commands/code-runs/start-run-workflow.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { RUN_STARTED } from '../../../store/code-run-starts.ts';
import { beginPass, recordRunEnd } from '../../../store/code-run-transitions.ts';
import { findCodeRun } from '../../../store/code-runs.ts';
import { type ApiBed, openApiBed } from '../../api/api-bed.ts';
import { until } from '../../support/until.ts';

let bed: ApiBed;
let server: { id: string };
beforeAll(async () => {
  bed = await openApiBed();
  const body = { name: 'Code', workspaceId: bed.workspaceId, mode: 'CODE', authMode: 'bearer' };
  ({ server } = await bed.api.must(201).post('/api/v1/mcp/servers', body));
});
afterAll(() => bed.close());

const execute = (orchestrator: Partial<Gateway['orchestrator']>, db: Gateway['db'] = bed.gateway.db) => {
  const gateway = { ...bed.gateway, db, orchestrator: { ...bed.gateway.orchestrator, reachable: async () => {}, ...orchestrator } };
  return executeCode(gateway, {
    server: { id: server.id, orgId: bed.orgId, workspaceId: bed.workspaceId, name: 'Code', settings: {} },
    requestedBy: { type: 'api_key', id: 'key' },
    endUserId: null,
    code: 'return 1',
  });
};

const end = async (codeRunId: string) => {
  const { db } = bed.gateway;
  await beginPass(
    db,
    { id: codeRunId, status: 'running', passNumber: 0, clockStartedAt: new Date() },
    { toolSurfaceHash: 'x', groups: [] },
  );
  await recordRunEnd(db, codeRunId, {
    status: 'executed',
    result: { output: 1, error: null, logs: [], timings: { totalExecuteMs: 1, sandboxMs: 1 } },
    runningMs: 1,
  });
};

async function aWorker(work: (codeRunId: string) => Promise<unknown>): Promise<() => void> {
  const listening = Promise.withResolvers<void>();
  const stop = bed.gateway.notices.subscribe(RUN_STARTED, (codeRunId) => {
    if (codeRunId === undefined) listening.resolve();
    else void work(codeRunId);
  });
  await listening.promise;
  return stop;
}

const dueOf = async (id: string) => (await bed.patient('code_runs').where({ id }).first('workflow_due_at')).workflow_due_at;

test('the answer to a run of one pass does not wait for the workflow', async () => {
  const stop = await aWorker(end);
  const held = Promise.withResolvers<void>();
  const started: unknown[] = [];
  const { run, awaited } = await execute({
    startCodeRun: async ({ codeRunId, endedAs }) => {
      started.push([codeRunId, endedAs]);
      await held.promise;
    },
  });
  stop();
  expect({ status: run.status, awaited, due: await dueOf(run.id) }).toEqual({ status: 'executed', awaited: null, due: expect.any(Date) });
  held.resolve();
  await until(async () => (await dueOf(run.id)) === null);
  expect(started).toEqual([[run.id, 'executed']]);
});

test('if the notification of a new run is lost, its workflow executes it and the caller gets the result', async () => {
  const asked: string[] = [];
  const { run } = await execute({
    startCodeRun: async ({ codeRunId }) => {
      asked.push(codeRunId);
      await end(codeRunId);
    },
  });
  expect({ status: run.status, asked }).toEqual({ status: 'executed', asked: [run.id] });
  await until(async () => (await dueOf(run.id)) === null);
});

test('a run gets no second workflow if the reconciliation starts one first', async () => {
  const { silentRuns } = bed.gateway.schedulers;
  const slots = Promise.withResolvers<void>();
  const queued = Array.from({ length: silentRuns.concurrency }, () => silentRuns(() => slots.promise));
  const started: string[] = [];
  const startCodeRun = async ({ codeRunId }: { codeRunId: string }) => void started.push(codeRunId);
  const answer = execute({ startCodeRun });
  await until(async () => silentRuns.pendingCount === 1);
  const { id } = await bed.patient('code_runs').orderBy('created_at', 'desc').first('id');
  await bed
    .patient('code_runs')
    .where({ id })
    .update({ workflow_due_at: bed.patient.raw("now() - interval '1 minute'") });
  await startDueWorkflows({ ...bed.gateway, orchestrator: { ...bed.gateway.orchestrator, startCodeRun } });
  slots.resolve();
  await Promise.all(queued);
  await until(async () => silentRuns.activeCount === 0);
  await end(id);
  expect({ status: (await answer).run.status, started }).toEqual({ status: 'executed', started: [id] });
});

test('a run whose workflow has started is kept, even if that start was not recorded', async () => {
  let isStarted = false;
  const db = new Proxy(bed.gateway.db, {
    apply: (target, self, args) => {
      if (!isStarted) return Reflect.apply(target, self, args);
      isStarted = false;
      throw Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
    },
  });
  const { promise: id, resolve } = Promise.withResolvers<string>();
  const startCodeRun = async ({ codeRunId }: { codeRunId: string }) => {
    isStarted = true;
    resolve(codeRunId);
  };
  const answer = execute({ startCodeRun }, db);
  const codeRunId = await id;
  await until(async () => !isStarted);
  await end(codeRunId);
  expect((await answer).run).toMatchObject({ id: codeRunId, status: 'executed' });
  expect(await dueOf(codeRunId)).toEqual(expect.any(Date)); // the reconciliation starts the workflow again
});

const away = () => Promise.reject(new GatewayError('UNAVAILABLE', 'Away.'));

test('while Temporal is known to be unavailable, no run is recorded', async () => {
  const before = await bed.patient('code_runs').pluck('id');
  await expect(execute({ reachable: away })).rejects.toMatchObject({ code: 'UNAVAILABLE', details: undefined });
  expect(await bed.patient('code_runs').pluck('id')).toEqual(before);
});

test('if the start of the workflow fails, only a run that has begun is kept', async () => {
  const ids: string[] = [];
  const startCodeRun = async ({ codeRunId }: { codeRunId: string }) => void ids.push(codeRunId);
  const error: GatewayError = await execute({ startCodeRun: (run) => startCodeRun(run).then(away) }).then(
    Promise.reject,
    (thrown) => thrown,
  );
  expect({ code: error.code, details: error.details }).toEqual({ code: 'UNAVAILABLE', details: undefined });
  expect(await findCodeRun(bed.gateway.db, ids[0]!)).toBeUndefined();

  const { run } = await execute({
    startCodeRun: (run) =>
      startCodeRun(run)
        .then(() => end(run.codeRunId))
        .then(away),
  });
  expect({ id: run.id, status: run.status }).toEqual({ id: ids[1], status: 'executed' });
});

test('if the answer to the insert is lost, the caller gets the run id', async () => {
  const { db } = bed.gateway;
  let isLost = false;
  const loseAnswer = async (answer: Promise<unknown>) => {
    await answer;
    isLost = true;
    throw Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
  };
  const broken = new Proxy(db, {
    get: (target, name) => {
      const value = Reflect.get(target, name);
      if (name !== 'with' || isLost) return value;
      const loseOptions = (query: object) =>
        new Proxy(query, {
          get: (inner, method) => {
            const own = Reflect.get(inner, method);
            if (method === 'options') return (...args: unknown[]) => loseAnswer(Reflect.apply(own, inner, args));
            return typeof own === 'function' ? (...args: unknown[]) => loseOptions(Reflect.apply(own, inner, args)) : own;
          },
        });
      return (...args: unknown[]) => loseOptions(Reflect.apply(value as () => object, target, args));
    },
  });
  const error: GatewayError = await execute({}, broken).then(Promise.reject, (thrown) => thrown);
  expect([error.code, error.message]).toEqual(['UNAVAILABLE', expect.stringContaining('Do not send the code again')]);
  const { codeRunId } = error.details as { codeRunId: string };
  await until(async () => (await findCodeRun(db, codeRunId)) === undefined);
});

test('if a run may have begun, the caller is told not to send the code again', async () => {
  const { db } = bed.gateway;
  const ids: string[] = [];
  const error: GatewayError = await execute(
    {
      startCodeRun: async ({ codeRunId }) => {
        ids.push(codeRunId);
        return away();
      },
    },
    // The statement that would delete the run fails, because the connection is lost.
    new Proxy(db, {
      apply: (target, self, [table]) => {
        if (ids.length > 0) throw Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
        return Reflect.apply(target, self, [table]);
      },
    }),
  ).then(Promise.reject, (thrown) => thrown);
  expect({ code: error.code, details: error.details }).toEqual({ code: 'UNAVAILABLE', details: { codeRunId: ids[0] } });
  expect(error.message).toContain('Do not send the code again');
});

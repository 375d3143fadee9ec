import { executeCode } from '../../../commands/code-runs/execute-code.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { beginPass, recordRunEnd } from '../../../store/code-run-transitions.ts';
import { findCodeRun } from '../../../store/code-runs.ts';
import { type ApiBed, openApiBed } from '../../api/api-bed.ts';

let bed: ApiBed;
let server: { id: string };
beforeAll(async () => {
  bed = await openApiBed();
  const body = { name: 'Code', workspaceId: bed.workspaceId, mode: 'CODE', authMode: 'bearer' };
  ({ server } = await bed.api.must(201).post('/api/v1/mcp/servers', body));
});
afterAll(() => bed.close());

const execute = (orchestrator: Partial<Gateway['orchestrator']>, db: Gateway['db'] = bed.gateway.db) => {
  const gateway = { ...bed.gateway, db, orchestrator: { ...bed.gateway.orchestrator, ...orchestrator } };
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

test('the first answer comes from Postgres without asking the workflow', async () => {
  let ended = Promise.resolve();
  const { run, gate } = await execute({
    startCodeRun: async ({ codeRunId }) => {
      ended = end(codeRunId);
    },
    awaitFirstPass: () => Promise.reject(new Error('the workflow was asked')),
  });
  await ended;
  expect({ status: run.status, gate }).toEqual({ status: 'executed', gate: null });
});

test('without a notification the workflow is asked, and the answer is the same', async () => {
  const asked: string[] = [];
  const { run } = await execute({
    startCodeRun: async () => {},
    awaitFirstPass: async (codeRunId) => {
      asked.push(codeRunId);
      await end(codeRunId);
    },
  });
  expect({ status: run.status, asked }).toEqual({ status: 'executed', asked: [run.id] });
});

const away = () => Promise.reject(new GatewayError('UNAVAILABLE', 'Away.'));

test('during a short outage of a dependency the caller still gets the answer', async () => {
  let asked = 0;
  const { run } = await execute({
    startCodeRun: async () => {},
    awaitFirstPass: (codeRunId) => (asked++ === 0 ? away() : end(codeRunId)),
  });
  expect({ status: run.status, asked }).toEqual({ status: 'executed', asked: 2 });
});

test('a run that could not be started is deleted; a run that began although the answer to its start was lost continues', async () => {
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

test('if it is unknown whether a run began, its caller gets the id to look it up before sending the code again', async () => {
  const { db } = bed.gateway;
  const ids: string[] = [];
  const error: GatewayError = await execute(
    {
      startCodeRun: async ({ codeRunId }) => {
        ids.push(codeRunId);
        return away();
      },
    },
    // The statement that would delete the run fails for lack of a database.
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

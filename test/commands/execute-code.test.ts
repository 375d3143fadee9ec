import { executeCode } from '../../commands/execute-code.ts';
import type { Gateway } from '../../commands/gateway.ts';
import { GatewayError } from '../../domain/errors.ts';
import { beginPass, finishRun } from '../../store/code-run-moves.ts';
import { findCodeRun } from '../../store/code-runs.ts';
import { type ApiBed, openApiBed } from '../api/api-bed.ts';

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
  await beginPass(db, { id: codeRunId, status: 'running', passNumber: 0, clockStartedAt: new Date() }, { toolSurfaceHash: 'x' });
  await finishRun(db, codeRunId, {
    status: 'executed',
    result: { output: 1, error: null, logs: [], timings: { totalExecuteMs: 1, sandboxMs: 1 } },
    runningMs: 1,
  });
};

test('the first answer is there as soon as Postgres has it: the workflow is not asked', async () => {
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

test('where nothing is heard, the workflow is asked, and the answer is the same', async () => {
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

test('where a part of the service goes away under a run for a moment, its caller gets the answer all the same', async () => {
  let asked = 0;
  const { run } = await execute({
    startCodeRun: async () => {},
    awaitFirstPass: (codeRunId) => (asked++ === 0 ? away() : end(codeRunId)),
  });
  expect({ status: run.status, asked }).toEqual({ status: 'executed', asked: 2 });
});

test('a run that could not be started is taken back; one that began although the answer to its start was lost goes on', async () => {
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

test('where nobody can say whether a run began, its caller hears by which id to look for it before sending the code again', async () => {
  const { db } = bed.gateway;
  const ids: string[] = [];
  const error: GatewayError = await execute(
    {
      startCodeRun: async ({ codeRunId }) => {
        ids.push(codeRunId);
        return away();
      },
    },
    // The statement that would take the run back finds no database.
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

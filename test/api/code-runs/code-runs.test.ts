import { createOrg } from '../../../commands/access/create-org.ts';
import { deleteOldRunResults } from '../../../commands/code-runs/delete-old-run-results.ts';
import { hashCode } from '../../../commands/code-runs/plan/plan-code-run.ts';
import { isResultKept } from '../../../domain/code-run.ts';
import { PAGE } from '../../../domain/limits.ts';
import { randomId } from '../../../infra/tokens.ts';
import { insertCodeRun, type NewCodeRun } from '../../../store/code-run-starts.ts';
import { findCodeRun } from '../../../store/code-runs.ts';
import { insertWorkspace } from '../../../store/workspaces.ts';
import { startReconciling } from '../../../worker/start-reconciling.ts';
import { type JournalCall, type RunRecord, recordRun } from '../../support/record-run.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { checkedCaller } from '../checked-caller.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed?.close());

const SERVER = '22222222-2222-4222-8222-222222222222';
const TIMINGS = { totalExecuteMs: 2400, sandboxMs: 40 };

async function aRun(record: RunRecord, given: Partial<NewCodeRun> = {}): Promise<string> {
  const { orgId, workspaceId, gateway } = bed;
  const asked = { mcpServerId: SERVER, endUserId: null, requestedByType: 'mcp_token', requestedById: 'token-1' } as const;
  const { code = 'return await svc.crm.list({})' } = given;
  const run = { id: randomId('crun_'), orgId, workspaceId, ...asked, code, codeHash: hashCode(code), ...given };
  await insertCodeRun(gateway.db, run);
  await recordRun(gateway.db, run, record);
  return run.id;
}

const read = async (id: string) => (await bed.api.must(200).get(`/api/v1/code-runs/${id}`)).codeRun;
const executed = (output: unknown, message = 'done'): RunRecord['result'] => ({
  ...{ output, error: null, timings: TIMINGS },
  logs: [{ level: 'log', message, timestamp: '2026-11-21T10:00:00.120Z' }],
});
const LIST: JournalCall = { number: 0, tool: 'crm.list', status: 'succeeded', line: 1, input: {}, outcome: { ok: true, output: [1, 2] } };

test('a run shows its code, its requester, its calls and its result', async () => {
  const refused = { ok: false, error: { code: 'ACTION_FAILED', message: 'No such channel' } } as const;
  const calls: JournalCall[] = [
    LIST,
    { number: 2, tool: 'mail.send', status: 'failed', line: 3, input: { to: 'ada' }, outcome: refused },
    { number: 3, tool: 'mail.send', status: 'unknown', line: 4, input: { to: 'bob' } },
  ];
  const error = { code: 'CODE_CALL_OUTCOME_UNKNOWN', message: 'A process died', line: 4, column: 7 };
  const result = { output: null, error, logs: [], timings: TIMINGS };
  const id = await aRun({ status: 'failed', calls, result }, { endUserId: 'ada' });
  expect(await read(id)).toMatchObject({
    ...{ id, orgId: bed.orgId, workspaceId: bed.workspaceId, mcpServerId: SERVER, endUserId: 'ada', status: 'failed' },
    ...{ requestedByType: 'mcp_token', requestedById: 'token-1', passNumber: 2, runningMs: 2400, finishedAt: expect.any(String) },
    ...{ code: 'return await svc.crm.list({})', codeLines: 1, codeIsWhole: true, codeHash: hashCode('return await svc.crm.list({})') },
    ...{ error, output: null, outputIs: 'none', logs: [], logsAre: 'shown', approvals: [], plan: null },
    calls: [
      {
        ...{ number: 1, alias: 'crm', actionName: 'list', status: 'succeeded', line: 1, column: 7, idempotent: true },
        ...{ startedMs: 0, durationMs: expect.any(Number), input: {}, output: [1, 2], outputIs: 'shown', error: null, approvalId: null },
      },
      { number: 3, status: 'failed', output: null, outputIs: 'none', error: { code: 'ACTION_FAILED', message: 'No such channel' } },
      { number: 4, status: 'unknown', idempotent: false, durationMs: null, input: { to: 'bob' }, outputIs: 'none', error: null },
    ],
  });
});

test('a running run shows its progress', async () => {
  const running = await read(await aRun({ status: 'running', calls: [LIST, { number: 1, tool: 'mail.send', status: 'executing' }] }));
  expect(running).toMatchObject({ status: 'running', finishedAt: null, outputIs: 'none', logsAre: 'none', error: null });
  expect(running.calls).toMatchObject([{ status: 'succeeded' }, { status: 'executing', line: null, input: null, durationMs: null }]);
});

test('answers contain no secrets of a run and no enforced values of a partial', async () => {
  const enforced = 'boardroom-4711';
  const partial = { workspaceId: bed.workspaceId, integrationName: 'kv-store', name: 'Where', isDefault: true };
  await bed.api.must(201).post('/api/v1/partials', { ...partial, values: { key: enforced }, enforcedKeys: ['key'] });
  const secrets = ['sk_live_abcdefghijklmnop1234', 'ghp_0123456789abcdefghijABCDEFGHIJ012345', enforced];
  const [key, token] = secrets as [string, string];
  const said = `Bearer ${token} was refused in ${enforced}`;
  const outcome = {
    ok: true,
    output: { headers: { Authorization: `Bearer ${token}` }, room: enforced, text: `{"api_key":"${key}"}` },
  } as const;
  const failed = { ok: false, error: { code: 'ACTION_FAILED', message: said } } as const;
  const calls: JournalCall[] = [
    { ...LIST, outcome },
    { number: 1, tool: 'crm.list', status: 'failed', outcome: failed },
  ];
  const code = `// token: ${token}\nconst apiKey = "${key}";\nreturn apiKey;`;
  const ended = await read(await aRun({ status: 'executed', calls, result: executed({ apiKey: key, [enforced]: token }, said) }, { code }));
  const error = { code: 'CODE_ERROR', message: said, line: 2, column: 1 };
  const broken = await read(await aRun({ status: 'failed', calls, result: { ...executed(null)!, error } }, { code }));
  for (const secret of secrets) expect(JSON.stringify([ended, broken])).not.toContain(secret);
  expect(ended).toMatchObject({
    ...{ code: '// token: [redacted]\nconst apiKey = "[redacted]";\nreturn apiKey;', codeHiddenLines: [1, 2] },
    ...{ output: { apiKey: '[redacted]' }, logs: [{ message: expect.stringContaining('was refused in [redacted]') }] },
    calls: [{ output: { headers: { Authorization: '[redacted]' }, room: '[redacted]' } }, { error: { code: 'ACTION_FAILED' } }],
  });
  expect(broken.error).toMatchObject({ code: 'CODE_ERROR', line: 2, message: expect.stringContaining('was refused in [redacted]') });
});

test('in a large run, long values are cut and marked as cut', async () => {
  const long = Array.from({ length: 1000 }, (_, index) => ({ index, text: 'word '.repeat(40) }));
  const calls = Array.from({ length: 200 }, (_, number): JournalCall => ({ ...LIST, number, outcome: { ok: true, output: long } }));
  const logs = Array.from({ length: 1000 }, (_, index) => ({ level: 'log' as const, message: `line ${index}`, timestamp: '' }));
  const code = Array.from({ length: 9000 }, (_, index) => `step(${index});`).join('\n');
  const result = {
    output: long,
    error: null,
    logs: logs.map((line) => ({ ...line, timestamp: '2026-11-21T10:00:00.120Z' })),
    timings: TIMINGS,
  };
  const { status, body } = await bed.api.get(`/api/v1/code-runs/${await aRun({ status: 'executed', calls, result }, { code })}`);
  expect([status, JSON.stringify(body).length]).toEqual([200, expect.any(Number)]);
  expect(JSON.stringify(body).length).toBeLessThan(2_000_000);
  const { codeRun } = body;
  expect(codeRun).toMatchObject({ codeLines: 9000, codeIsWhole: false, logsOmitted: 800, outputIs: 'shown' });
  expect([codeRun.logs.length, codeRun.calls.length]).toEqual([200, 200]);
  expect(new Set(codeRun.calls.map(({ outputIs }: { outputIs: string }) => outputIs))).toEqual(new Set(['shown', 'too_large']));
});

describe('when the result retention is over', () => {
  const over = (id: string) =>
    bed
      .patient('code_runs')
      .where({ id })
      .update({ finished_at: bed.patient.raw("now() - interval '24 hours 1 minute'") });
  const failed = { ok: false, error: { code: 'ACTION_FAILED', message: 'No such channel' } } as const;
  const calls: JournalCall[] = [
    { ...LIST, input: { unpaid: true } },
    { number: 1, tool: 'mail.send', status: 'failed', input: { to: 'ada' }, outcome: failed },
  ];
  const GONE = {
    ...{ status: 'executed', output: null, outputIs: 'deleted', logs: [], logsAre: 'deleted', code: 'return await svc.crm.list({})' },
    calls: [
      { status: 'succeeded', line: 1, input: { unpaid: true }, durationMs: expect.any(Number), output: null, outputIs: 'deleted' },
      { status: 'failed', input: { to: 'ada' }, error: failed.error },
    ],
  };

  test('the output, the logs and the outputs of calls are no longer returned; the rest stays', async () => {
    const id = await aRun({ status: 'executed', calls, result: executed({ room: 'answer' }) });
    expect(await read(id)).toMatchObject({ output: { room: 'answer' }, outputIs: 'shown' });
    await over(id);
    expect(await read(id)).toMatchObject(GONE);
  });

  test('the worker deletes only results past their retention, and keeps the reason of a failure', async () => {
    const id = await aRun({ status: 'executed', calls, result: executed('zq-output', 'zq-log') });
    const error = { code: 'CODE_ERROR', message: 'why' };
    const broken = await aRun({ status: 'failed', calls, result: { ...executed(null, 'zq-log')!, error } });
    const [young, waiting] = [
      await aRun({ status: 'executed', calls, result: executed('kept') }),
      await aRun({ status: 'waiting', calls }),
    ];
    await bed.patient('code_run_timers').insert({ code_run_id: id, number: 9, delay_ms: 5, due_at: bed.patient.fn.now() });
    await Promise.all([over(id), over(broken)]);
    await startReconciling(bed.gateway).stop();

    const bytes = "coalesce(encode(result, 'escape'), '')";
    const rows = await bed
      .patient('code_runs')
      .whereIn('id', [id, broken])
      .select(bed.patient.raw(`${bytes} as result`));
    expect(rows.map(({ result }) => result).join()).not.toMatch(/zq-/);
    const kept = await bed.patient('calls').where({ code_run_id: id }).orderBy('call_number').pluck('outcome');
    expect(kept).toEqual([null, expect.any(Buffer)]);
    expect(await bed.patient('code_run_timers').where({ code_run_id: id })).toEqual([]);
    expect(await read(id)).toMatchObject(GONE);
    expect(await read(broken)).toMatchObject({ status: 'failed', error, logsAre: 'deleted' });
    expect(await read(young)).toMatchObject({ output: 'kept', outputIs: 'shown', calls: [{ output: [1, 2] }, {}] });
    expect(await read(waiting)).toMatchObject({ calls: [{ output: [1, 2] }, {}] });
    expect(await deleteOldRunResults(bed.gateway)).toBe(0);
  });

  test('deleted results stay deleted if the retention becomes longer', async () => {
    const id = await aRun({ status: 'executed', calls, result: executed('gone') });
    await over(id).then(() => deleteOldRunResults(bed.gateway));
    expect(isResultKept((await findCodeRun(bed.gateway.db, id))!, 48)).toBe(false);
  });
});

describe('the list', () => {
  test('filters runs, newest first; a run added meanwhile does not shift the next page', async () => {
    const { orgId, workspaceId, plainKey } = await createOrg(bed.gateway, 'Lists');
    const api = checkedCaller(bed.apiUrl, plainKey).must(200);
    const elsewhere = (await insertWorkspace(bed.gateway.db, { orgId, name: 'Elsewhere', slug: 'elsewhere' })).id;
    const place = { orgId, workspaceId };
    const old = await aRun({ status: 'failed', result: executed(null) }, { ...place, endUserId: 'ada' });
    const there = await aRun({ status: 'waiting' }, { orgId, workspaceId: elsewhere, mcpServerId: bed.workspaceId });
    const last = await aRun({ status: 'executed', result: executed(1) }, place);
    await bed.patient('code_runs').where({ id: old }).update({ created_at: '2026-01-02T00:00:00Z' });
    const ids = async (query: string) => {
      const { codeRuns, total } = await api.get(`/api/v1/code-runs?${query}`);
      expect(total).toBe(codeRuns.length);
      return codeRuns.map(({ id }: { id: string }) => id);
    };
    expect(await ids('')).toEqual([last, there, old]);
    expect(await ids('status=waiting')).toEqual([there]);
    expect(await ids(`workspaceId=${workspaceId}`)).toEqual([last, old]);
    expect(await ids(`mcpServerId=${SERVER}&status=failed`)).toEqual([old]);
    expect(await ids('endUserId=ada')).toEqual([old]);
    expect(await ids('createdFrom=2026-01-02T00:00:00Z&createdBefore=2026-01-02T01:00:01%2B01:00')).toEqual([old]);
    expect(await ids('createdBefore=2026-01-02T00:00:00Z')).toEqual([]);

    const first = await api.get('/api/v1/code-runs?limit=2');
    expect([first.codeRuns.length, first.total]).toEqual([2, 3]);
    await aRun({ status: 'running' }, place);
    const next = await api.get(`/api/v1/code-runs?limit=2&cursor=${first.nextCursor}`);
    expect([next.codeRuns.map(({ id }: { id: string }) => id), next.nextCursor]).toEqual([[old], null]);
  });

  test.each([`limit=${PAGE.max + 1}`, 'limit=0', 'cursor=abc', 'status=done', 'createdFrom=yesterday', 'workspaceId=x', 'mcpServerId=x'])(
    'an invalid query is refused: %s',
    async (query) => {
      const { status, body } = await bed.api.get(`/api/v1/code-runs?${query}`);
      expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
    },
  );
});

test('unknown ids, malformed ids and ids of another organization get the same answer', async () => {
  const { plainKey } = await createOrg(bed.gateway, 'Strangers');
  const stranger = checkedCaller(bed.apiUrl, plainKey);
  const answers = [
    await stranger.get(`/api/v1/code-runs/${await aRun({ status: 'running' })}`),
    await bed.api.get('/api/v1/code-runs/crun_0000000000000000000000'),
    await bed.api.get('/api/v1/code-runs/nothing'),
    await stranger.post(`/api/v1/code-runs/${await aRun({ status: 'running' })}/cancel`),
  ];
  for (const { status, body } of answers)
    expect([status, body]).toEqual([404, { code: 'CODE_RUN_NOT_FOUND', error: 'There is no such code run.' }]);
});

test('an unfinished run can be canceled once; a finished run cannot', async () => {
  for (const status of ['running', 'waiting'] as const) {
    const cancel = `/api/v1/code-runs/${await aRun({ status, calls: [LIST] })}/cancel`;
    const { codeRun } = await bed.api.must(200).post(cancel, { reason: 'Not needed any more' });
    expect(codeRun).toMatchObject({ status: 'canceled', finishedAt: expect.any(String), calls: [{ status: 'succeeded' }] });
    expect(codeRun.error).toMatchObject({ code: 'CODE_RUN_CANCELED', message: expect.stringContaining('Not needed any more') });
    const again = await bed.api.post(cancel);
    expect([again.status, again.body]).toEqual([
      409,
      expect.objectContaining({ code: 'CODE_RUN_FINISHED', details: { status: 'canceled' } }),
    ]);
  }
  const executedRun = await bed.api.post(`/api/v1/code-runs/${await aRun({ status: 'executed', result: executed(1) })}/cancel`);
  expect([executedRun.status, executedRun.body.details]).toEqual([409, { status: 'executed' }]);
});

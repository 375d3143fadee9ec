import { advanceRun } from '../../../commands/code-runs/advance-run.ts';
import { hashCode } from '../../../commands/code-runs/plan/plan-code-run.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import { CODE_RUN } from '../../../domain/limits.ts';
import { randomId } from '../../../infra/tokens.ts';
import { LOG_CUT } from '../../../sandbox/host/pass-log.ts';
import { insertCodeRun } from '../../../store/code-run-starts.ts';
import { findCodeRun } from '../../../store/code-runs.ts';
import { type ApiBed, openApiBed } from '../../api/api-bed.ts';
import { aReceiver, type Receiver } from '../../support/receiver.ts';
import { temporalAddress } from '../../support/system.ts';

// Specification 8, limits of code runs.

let bed: ApiBed;
let upstream: Receiver;
let mcpServerId: string;
beforeAll(async () => {
  // Temporal runs, so that no request waits for a connection timeout.
  const temporal = { TEMPORAL_ADDRESS: await temporalAddress(), TEMPORAL_TASK_QUEUE: `limits-${randomId('')}` };
  [bed, upstream] = await Promise.all([openApiBed(temporal), aReceiver()]);
  for (const integrationName of ['http', 'hash-encode', 'kv-store']) {
    const settings = integrationName === 'kv-store' ? { settings: { persistence: { scope: 'workspace' } } } : {};
    await bed.api.must(201).post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, { integrationName, ...settings });
  }
  const fields = { name: 'Code', workspaceId: bed.workspaceId, mode: 'CODE', authMode: 'bearer' };
  mcpServerId = (await bed.api.must(201).post('/api/v1/mcp/servers', fields)).server.id;
  await bed.api.must(200).post('/api/v1/approval-policies', { name: 'Ask', integrationNames: ['kv-store'] });
});
afterAll(async () => {
  await bed?.close();
  await upstream?.close();
});

async function aRun(code: string): Promise<string> {
  const id = randomId('crun_');
  const { orgId, workspaceId } = bed;
  const by = { requestedByType: 'system', requestedById: null } as const;
  await insertCodeRun(bed.gateway.db, { id, orgId, workspaceId, mcpServerId, endUserId: null, ...by, code, codeHash: hashCode(code) });
  return id;
}

async function advance(codeRunId: string, gateway: Gateway = bed.gateway) {
  const sandbox = await bed.gateway.sandboxes.isolates();
  const move = { codeRunId, resume: true, cancel: false, mayPass: true, signal: new AbortController().signal };
  const { pendingApprovalIds } = await advanceRun(gateway, sandbox, move);
  const run = (await findCodeRun(bed.gateway.db, codeRunId))!;
  return {
    status: run.status,
    pendingApprovalIds,
    output: run.result?.output,
    error: run.result?.error ?? undefined,
    logs: run.result?.logs,
  };
}

const runs = async (code: string) => advance(await aRun(code));
const shortly = (id: string) =>
  advance(id, { ...bed.gateway, config: { ...bed.gateway.config, code: { ...bed.gateway.config.code, limitSeconds: 2 } } });
const failed = (code: string) => ({ status: 'failed', error: { code } });
const waits = (ms: number) => `await new Promise((done) => setTimeout(done, ${ms}));`;

describe('executions can run up to 5 minutes (here: 2 seconds)', () => {
  test('longer code fails as CODE_TIMEOUT, whether it computes or waits for a timer', async () => {
    expect(await shortly(await aRun(`${waits(100)} return 1`))).toMatchObject({ status: 'executed', output: 1 });
    const [spins, sleeps] = await Promise.all(['for (;;);', `${waits(60_000)} return 1`].map(async (code) => shortly(await aRun(code))));
    for (const ended of [spins!, sleeps!]) {
      expect(ended).toMatchObject(failed('CODE_TIMEOUT'));
      expect(ended.error!.message).toBe('The code ran longer than 2 seconds');
    }
  });

  test('only running time counts, not the wait for a decision', async () => {
    // No plan predicts the gate, so the first pass runs until it reaches the gate.
    const gated = (after: string) => `const name = (await svc.hash_encode.decode({ encoded: 'cHV0', encoding: 'base64' })).text;
      const { stored } = await svc.kv_store[name]({ key: 'k', value: 1 }); ${after} return stored`;
    const [waited, ran] = [await aRun(gated('')), await aRun(gated(waits(60_000)))];
    for (const id of [waited, ran]) {
      const { status, pendingApprovalIds } = await advance(id);
      expect(status).toBe('waiting');
      expect((await findCodeRun(bed.gateway.db, id))!.runningMs).toBeGreaterThan(0);
      await bed
        .patient('code_runs')
        .where({ id })
        .update({ created_at: bed.patient.raw("created_at - interval '3 days'") });
      await bed.api.must(200).post(`/api/v1/approvals/${pendingApprovalIds[0]}/approve`);
    }
    expect(await advance(waited)).toMatchObject({ status: 'executed', output: true });
    await bed.patient('code_runs').where({ id: ran }).update({ running_ms: 299_000 });
    expect(await advance(ran)).toMatchObject({
      status: 'failed',
      error: { code: 'CODE_TIMEOUT', message: 'The code ran longer than 300 seconds' },
    });
  });
});

test('10 calls are in flight at a time; the eleventh call waits', async () => {
  const held = Promise.withResolvers<void>();
  let most = 0;
  let now = 0;
  upstream.answerWith(async () => {
    now += 1;
    most = Math.max(most, now);
    if (upstream.received.length === CODE_RUN.maxCallsInFlight) setTimeout(held.resolve, 100);
    await held.promise;
    now -= 1;
    return { status: 200 };
  });
  const code = `return (await Promise.all(Array.from({ length: 15 }, () => svc.http.send_request({ method: 'POST', url: '${upstream.url}' })))).length`;
  expect(await runs(code)).toMatchObject({ status: 'executed', output: 15 });
  expect(most).toBe(CODE_RUN.maxCallsInFlight);
});

const HASH = "await svc.hash_encode.hash({ text: 'x' });";

test.each<[string, string, string, string]>([
  [
    '200 calls',
    `for (let n = 0; n < 200; n += 1) ${HASH} return 1`,
    `for (let n = 0; n < 201; n += 1) ${HASH} return 1`,
    'CODE_CALL_LIMIT',
  ],
  ['1,000 timers', timers(1000), timers(1001), 'CODE_TIMER_LIMIT'],
  ['an input of 1 MB', input(CODE_RUN.inputMaxBytes), input(CODE_RUN.inputMaxBytes + 1), 'CODE_INPUT_TOO_LARGE'],
  ['an output of 1 MB', output(CODE_RUN.outputMaxBytes), output(CODE_RUN.outputMaxBytes + 1), 'CODE_OUTPUT_TOO_LARGE'],
  ['128 MB of memory', memory(40), memory(400), 'CODE_MEMORY'],
])('a run may use %s; above this limit, the run fails', async (_what, allowed, tooMuch, code) => {
  expect(await runs(allowed)).toMatchObject({ status: 'executed' });
  expect(await runs(tooMuch)).toMatchObject(failed(code));
});

test('a result of up to 1 MB is allowed; a larger one is refused', async () => {
  let bytes = 0;
  upstream.answerWith(async () => ({ status: 200, body: JSON.stringify('x'.repeat(bytes)) }));
  const code = `return JSON.stringify(await svc.http.send_request({ method: 'POST', url: '${upstream.url}' })).length`;
  const frame = (await runs(code)).output as number;
  bytes = CODE_RUN.resultMaxBytes - frame - 2000;
  expect(await runs(code)).toMatchObject({ status: 'executed' });
  bytes = CODE_RUN.resultMaxBytes + 1;
  const ended = await runs(code);
  expect(ended).toMatchObject({ status: 'failed', error: { code: expect.stringMatching(/CODE_RESULT_TOO_LARGE|ACTION_FAILED/) } });
});

test('logs above 1,000 lines or 256 kB are cut and say so', async () => {
  const lines = async (count: number, text: string) =>
    (await runs(`for (let n = 0; n < ${count}; n += 1) console.log('${text}')`)).logs!.map(({ message }) => message);
  expect(await lines(CODE_RUN.logMaxLines, 'x')).toEqual(Array(CODE_RUN.logMaxLines).fill('x'));
  expect((await lines(CODE_RUN.logMaxLines + 1, 'x')).at(-1)).toBe(LOG_CUT);
  const kilobyte = 'y'.repeat(1024);
  expect(await lines(256, kilobyte)).toEqual(Array(256).fill(kilobyte));
  expect((await lines(257, kilobyte)).at(-1)).toBe(LOG_CUT);
});

test('code of up to 256 kB is allowed; longer code is refused', async () => {
  const path = `/api/v1/mcp/servers/${mcpServerId}/execute-code`;
  const code = (bytes: number) => `return 1;${'x'.repeat(bytes)}`.slice(0, bytes).replace('return 1;', 'return 1;//').slice(0, bytes);
  expect(await bed.api.post(path, { code: code(CODE_RUN.codeMaxBytes + 1) })).toMatchObject({
    status: 400,
    body: { code: 'INVALID_CODE_EXECUTE_REQUEST' },
  });
  expect(await runs(code(CODE_RUN.codeMaxBytes))).toMatchObject({ status: 'executed', output: 1 });
});

function timers(count: number): string {
  return `for (let n = 0; n < ${count}; n += 1) clearTimeout(setTimeout(() => {}, 1)); ${HASH} return 1`;
}

function input(bytes: number): string {
  const sized = `{ encoding: 'nothing', text: 'x'.repeat(${bytes - '{"encoding":"nothing","text":""}'.length}) }`;
  return `try { await svc.hash_encode.encode(${sized}) } catch (error) { if (error.code === 'CODE_INPUT_TOO_LARGE') throw error; return 1 }`;
}

function output(bytes: number): string {
  return `return 'x'.repeat(${bytes - 2})`;
}

function memory(megabytes: number): string {
  return `const all = []; for (let n = 0; n < ${megabytes}; n += 1) all.push(new Uint8Array(1024 * 1024).fill(n)); return all.length`;
}

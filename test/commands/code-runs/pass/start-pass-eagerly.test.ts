import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { decideApproval } from '../../../../commands/approvals/decide-approval.ts';
import { cancelCodeRun } from '../../../../commands/code-runs/cancel-code-run.ts';
import { insertWithinQuota } from '../../../../commands/code-runs/insert-within-quota.ts';
import { openPassCanceler, type PassCanceler } from '../../../../commands/code-runs/pass/cancel-passes.ts';
import { schedulePass } from '../../../../commands/code-runs/pass/schedule-pass.ts';
import { startPassesEagerly } from '../../../../commands/code-runs/pass/start-pass-eagerly.ts';
import { hashCode } from '../../../../commands/code-runs/plan/plan-code-run.ts';
import type { CodeRun } from '../../../../domain/code-run.ts';
import { randomId } from '../../../../infra/tokens.ts';
import type { Sandbox } from '../../../../sandbox/host/open-sandbox.ts';
import { RUN_STARTED } from '../../../../store/code-run-starts.ts';
import { beginLeasedPass, RUN_CHANGED } from '../../../../store/code-run-transitions.ts';
import { awaitCodeRun, findCodeRun } from '../../../../store/code-runs.ts';
import { type ApiBed, openApiBed } from '../../../api/api-bed.ts';
import { aReceiver, type Receiver } from '../../../support/receiver.ts';
import { until as untilTrue } from '../../../support/until.ts';

const PLAN = { toolSurfaceHash: 'of nothing', groups: [] };

let bed: ApiBed;
let sandbox: Sandbox;
let passCanceler: PassCanceler;
let upstream: Receiver;
let serverId: string;
beforeAll(async () => {
  bed = await openApiBed();
  upstream = await aReceiver();
  sandbox = await bed.gateway.sandboxes.isolates();
  passCanceler = openPassCanceler(bed.gateway);
  const { server } = await bed.api.must(201).post('/api/v1/mcp/servers', { name: 's', workspaceId: bed.workspaceId, mode: 'CODE' });
  serverId = server.id;
  for (const integrationName of ['http', 'hash-encode'])
    await bed.api.must(201).post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, { integrationName });
});
afterAll(async () => {
  await upstream?.close();
  await bed?.close();
});

const open = ({ graceMs } = { graceMs: 0 }) => startPassesEagerly(bed.gateway, { sandbox, passCanceler }, { graceMs });
const insert = async (code: string) => {
  const id = randomId('crun_');
  await insertWithinQuota(bed.gateway, {
    ...{ id, orgId: bed.orgId, workspaceId: bed.workspaceId, mcpServerId: serverId, endUserId: null },
    ...{ requestedByType: 'api_key', requestedById: null, code, codeHash: hashCode(code) },
  });
  return id;
};
/** Repeats the notification that the insert sent, in case the worker did not listen yet. */
const notifyStarted = (codeRunId: string) => bed.patient.raw('select pg_notify(?, ?)', [RUN_STARTED, codeRunId]);
/** Asks for a pass, as the run's workflow does. */
const task = (codeRunId: string, resume = true) => {
  const signal = new AbortController().signal;
  return schedulePass(bed.gateway, sandbox, {
    ...{ codeRunId, orgId: bed.orgId, resume, cancel: false, askedAt: Date.now(), patienceMs: 60_000, signal },
  });
};
const find = async (codeRunId: string) => (await findCodeRun(bed.gateway.db, codeRunId))!;
const until = (codeRunId: string, is: (run: CodeRun) => boolean) =>
  bed.gateway.notices.waitFor(RUN_CHANGED, codeRunId, 60_000, async () => {
    const run = await find(codeRunId);
    return is(run) ? run : undefined;
  });
const ends = (codeRunId: string) => until(codeRunId, ({ finishedAt }) => finishedAt !== null);
const held = () => {
  const released = Promise.withResolvers<void>();
  const before = upstream.received.length;
  upstream.answerWith(async () => {
    await released.promise;
    return { status: 200, body: '{}' };
  });
  return { release: released.resolve, called: upstream.has(before + 1), calls: () => upstream.received.length - before };
};
const post = () => `(await svc.http.send_request({ method: 'POST', url: '${upstream.url}/' })).status`;

test('a notification starts the first pass, and the workflow task finds the pass done', async () => {
  const ahead = open();
  const id = await insert('return 1');
  await untilTrue(async () => {
    await notifyStarted(id);
    return (await find(id)).status !== 'running';
  });
  expect(await ends(id)).toMatchObject({ status: 'executed', passNumber: 1, result: { output: 1 } });
  expect(await task(id)).toMatchObject({ status: 'executed' });
  expect(await find(id)).toMatchObject({ passNumber: 1 });
  await ahead.stop();
});

test('a task that arrives during an eager pass only waits for that pass', async () => {
  const ahead = open();
  const third = held();
  const id = await insert(`return ${post()}`);
  await notifyStarted(id);
  await third.called;
  const came = task(id);
  third.release();
  expect(await came).toMatchObject({ status: 'executed' });
  expect([await find(id), third.calls()]).toMatchObject([{ passNumber: 1, result: { output: 200 } }, 1]);
  await ahead.stop();
});

test('if the process of the eager pass is gone, the task starts a pass when the lease expires', async () => {
  const id = await insert('return 1');
  const run = { ...(await find(id)), clockStartedAt: new Date() };
  await beginLeasedPass(bed.gateway.db, run, PLAN);
  const lease = (ends: string) =>
    bed
      .patient('code_runs')
      .where({ id })
      .update({ leased_until: bed.patient.raw(ends) });
  const came = task(id);
  expect(await Promise.race([came, until(id, ({ isLeased }) => isLeased)])).toMatchObject({ passNumber: 1, isLeased: true });
  await lease('now()');
  expect(await came).toMatchObject({ status: 'executed' });
  expect(await find(id)).toMatchObject({ passNumber: 2, result: { output: 1 } });
});

test('two workers notified of the same run execute one pass', async () => {
  const workers = [open(), open()];
  const third = held();
  const id = await insert(`return ${post()}`);
  await notifyStarted(id);
  await third.called;
  third.release();
  await ends(id);
  await Promise.all(workers.map((worker) => worker.stop()));
  expect([await find(id), third.calls()]).toMatchObject([{ status: 'executed', passNumber: 1 }, 1]);
});

test('a decision resumes a run immediately only if a caller waits', async () => {
  await bed.api.must(200).post('/api/v1/approval-policies', { name: 'Ids', actionNames: ['generate_uuid'] });
  const code =
    "return (await svc.hash_encode.generate_uuid({})).uuids.length + ' of ' + await svc.hash_encode.hash({ text: 'x' }).then(() => 1)";
  const [awaited, unawaited] = [await insert(code), await insert(code)];
  for (const id of [awaited, unawaited]) expect(await task(id)).toMatchObject({ status: 'waiting' });
  await awaitCodeRun(bed.gateway.db, awaited, 60);
  const ahead = open();
  const approve = async (codeRunId: string) => {
    const [approval] = await bed.patient('approvals').where({ code_run_id: codeRunId });
    await decideApproval(bed.gateway, { approvalId: approval.id, decision: 'approve', by: { type: 'operator', id: null } });
  };
  await approve(unawaited);
  await approve(awaited);
  expect(await ends(awaited)).toMatchObject({ status: 'executed', passNumber: 1, result: { output: '1 of 1' } });
  await ahead.stop();
  expect(await find(unawaited)).toMatchObject({ status: 'waiting', passNumber: 0 });
});

test('a late start notification starts no pass if the run already waits for approval', async () => {
  await bed.api.must(200).post('/api/v1/approval-policies', { name: 'All ids', actionNames: ['generate_uuid'] });
  const id = await insert('return svc.hash_encode.generate_uuid({})');
  expect(await task(id)).toMatchObject({ status: 'waiting' });
  await awaitCodeRun(bed.gateway.db, id, 60);
  const [ahead, other] = [open(), await insert('return 1')];
  await untilTrue(async () => {
    for (const started of [id, other]) await notifyStarted(started);
    return (await find(other)).status !== 'running';
  });
  await ends(other);
  await ahead.stop();
  expect(await find(id)).toMatchObject({ status: 'waiting', passNumber: 0, isAwaited: true });
});

test('an eager pass stops when its run is canceled', async () => {
  const ahead = open();
  const third = held();
  const id = await insert(`await ${post()}; while (true);`);
  await notifyStarted(id);
  await third.called;
  third.release();
  await cancelCodeRun(bed.gateway, { codeRunId: id, by: { type: 'operator', id: null } });
  expect(await until(id, ({ lastPass }) => lastPass !== null)).toMatchObject({ status: 'canceled', lastPass: { passNumber: 1 } });
  await ahead.stop();
});

test('a stopping worker lets its passes finish and records the outcome of calls in flight', async () => {
  const ahead = open({ graceMs: 60_000 });
  const third = held();
  const id = await insert(`return ${post()}`);
  await notifyStarted(id);
  await third.called;
  const stopped = ahead.stop();
  third.release();
  await stopped;
  expect([await find(id), third.calls()]).toMatchObject([{ status: 'executed', passNumber: 1, result: { output: 200 } }, 1]);
});

test('a pass aborted by a stopping worker keeps its lease; a task continues the run after the lease', async () => {
  const ahead = open();
  const third = held();
  const id = await insert(`const status = ${post()}; await new Promise((resolve) => setTimeout(resolve, 3000)); return status`);
  await notifyStarted(id);
  await third.called;
  third.release();
  await untilTrue(async () => (await bed.patient('calls').where({ code_run_id: id, status: 'succeeded' })).length > 0);
  await ahead.stop();
  expect(await find(id)).toMatchObject({ status: 'running', isLeased: true });
  await bed.patient('code_runs').where({ id }).update({ leased_until: bed.patient.fn.now() });
  expect(await task(id)).toMatchObject({ status: 'executed' });
  expect([await find(id), third.calls()]).toMatchObject([{ passNumber: 2, result: { output: 200 } }, 1]);
});

test('a decision does not resume a run whose caller was answered; a task of the workflow does', async () => {
  const code = `const { uuids } = await svc.hash_encode.generate_uuid({}); return svc.hash_encode[['generate', 'uuid'].join(uuids.length > 1 ? '' : '_')]({ count: 2 })`;
  const id = await insert(code);
  expect(await task(id)).toMatchObject({ status: 'waiting' });
  await awaitCodeRun(bed.gateway.db, id, 60);
  const ahead = open();
  const approveNext = async () => {
    const approval = await bed.patient('approvals').where({ code_run_id: id, status: 'pending' }).first();
    await decideApproval(bed.gateway, { approvalId: approval.id, decision: 'approve', by: { type: 'operator', id: null } });
  };
  await approveNext();
  await until(id, ({ status, passNumber }) => status === 'waiting' && passNumber === 1);
  await approveNext();
  const other = await insert('return 1');
  await notifyStarted(other);
  await ends(other);
  await ahead.stop();
  expect(await find(id)).toMatchObject({ status: 'waiting', passNumber: 1, isAwaited: false });
  expect(await task(id)).toMatchObject({ status: 'executed' });
});

test("a run's clock starts once, when its code first runs", async () => {
  const code =
    "const at = Date.now(); const { uuids } = await svc.hash_encode.generate_uuid({}); await svc.hash_encode[['enc', 'ode'].join(uuids.length > 1 ? '_' : '')]({ text: 'x' }); return at";
  const id = await insert(code);
  await bed
    .patient('code_runs')
    .where({ id })
    .update({ created_at: bed.patient.raw("now() - interval '3 days'") });
  await bed.api.must(200).post('/api/v1/approval-policies', { name: 'Encoding', actionNames: ['encode'] });
  const approveAll = async () => {
    const pending = await bed.patient('approvals').where({ code_run_id: id, status: 'pending' });
    for (const approval of pending)
      await decideApproval(bed.gateway, { approvalId: approval.id, decision: 'approve', by: { type: 'operator', id: null } });
  };
  const before = Date.now();
  expect(await task(id)).toMatchObject({ status: 'waiting' });
  await approveAll();
  expect(await task(id)).toMatchObject({ status: 'waiting' });
  const first = (await find(id)).clockStartedAt!.getTime();
  expect(first).toBeGreaterThanOrEqual(before);
  await approveAll();
  expect(await task(id)).toMatchObject({ status: 'executed' });
  expect(await find(id)).toMatchObject({ passNumber: 2, result: { output: first } });
});

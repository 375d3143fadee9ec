import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { advanceRunsAhead } from '../../commands/advance-ahead.ts';
import { advanceInTurn } from '../../commands/advance-in-turn.ts';
import { cancelCodeRun } from '../../commands/cancel-code-run.ts';
import { decideApproval } from '../../commands/decide-approval.ts';
import { insertWithinQuota } from '../../commands/insert-within-quota.ts';
import { hashCode } from '../../commands/plan-code-run.ts';
import { openPassStops, type PassStops } from '../../commands/stop-passes.ts';
import type { CodeRun } from '../../domain/code-run.ts';
import { randomId } from '../../infra/tokens.ts';
import type { Sandbox } from '../../sandbox/open-sandbox.ts';
import { beginLeasedPass, RUN_MOVED, tellStarted } from '../../store/code-run-moves.ts';
import { awaitCodeRun, findCodeRun } from '../../store/code-runs.ts';
import { type ApiBed, openApiBed } from '../api/api-bed.ts';
import { aReceiver, type Receiver } from '../support/receiver.ts';

const PLAN = { toolSurfaceHash: 'of nothing', groups: [] };

let bed: ApiBed;
let sandbox: Sandbox;
let passStops: PassStops;
let upstream: Receiver;
let serverId: string;
beforeAll(async () => {
  bed = await openApiBed();
  upstream = await aReceiver();
  sandbox = await bed.gateway.sandboxes.isolates();
  passStops = openPassStops(bed.gateway);
  const { server } = await bed.api.must(201).post('/api/v1/mcp/servers', { name: 's', workspaceId: bed.workspaceId, mode: 'CODE' });
  serverId = server.id;
  for (const integrationName of ['http', 'hash-encode'])
    await bed.api.must(201).post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, { integrationName });
});
afterAll(async () => {
  await upstream?.close();
  await bed?.close();
});

const open = ({ graceMs } = { graceMs: 0 }) => advanceRunsAhead(bed.gateway, { sandbox, passStops }, { graceMs });
const insert = async (code: string) => {
  const id = randomId('crun_');
  await insertWithinQuota(bed.gateway, {
    ...{ id, orgId: bed.orgId, workspaceId: bed.workspaceId, mcpServerId: serverId, endUserId: null },
    ...{ requestedByType: 'api_key', requestedById: null, code, codeHash: hashCode(code) },
  });
  return id;
};
/** What the workflow of a run asks for. */
const task = (codeRunId: string, resume = true) => {
  const signal = new AbortController().signal;
  return advanceInTurn(bed.gateway, sandbox, {
    ...{ codeRunId, orgId: bed.orgId, resume, cancel: false, askedAt: Date.now(), patienceMs: 60_000, signal },
  });
};
const find = async (codeRunId: string) => (await findCodeRun(bed.gateway.db, codeRunId))!;
const until = (codeRunId: string, is: (run: CodeRun) => boolean) =>
  bed.gateway.notices.waitFor(RUN_MOVED, codeRunId, 60_000, async () => {
    const run = await find(codeRunId);
    return is(run) ? run : undefined;
  });
const ends = (codeRunId: string) => until(codeRunId, ({ finishedAt }) => finishedAt !== null);
/** An upstream that answers when it is let go. */
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

test('a run that was started goes on at the notice, before the task of its workflow comes; that task finds it done', async () => {
  const ahead = open();
  const id = await insert('return 1');
  while ((await find(id)).status === 'running') await tellStarted(bed.gateway.db, id); // until it listens
  expect(await ends(id)).toMatchObject({ status: 'executed', passNumber: 1, result: { output: 1 } });
  expect(await task(id)).toMatchObject({ status: 'executed' });
  expect(await find(id)).toMatchObject({ passNumber: 1 });
  await ahead.stop();
});

test('a task that comes while the pass ahead is under way waits for it, and makes none of its own', async () => {
  const ahead = open();
  const third = held();
  const id = await insert(`return ${post()}`);
  await tellStarted(bed.gateway.db, id);
  await third.called;
  const came = task(id);
  third.release();
  expect(await came).toMatchObject({ status: 'executed' });
  expect([await find(id), third.calls()]).toMatchObject([{ passNumber: 1, result: { output: 200 } }, 1]);
  await ahead.stop();
});

test('where the process of the pass ahead is gone, the task goes on when the lease is over, and not before', async () => {
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

test('two workers that hear of the same run make one pass between them', async () => {
  const workers = [open(), open()];
  const third = held();
  const id = await insert(`return ${post()}`);
  await tellStarted(bed.gateway.db, id);
  await third.called;
  third.release();
  await ends(id);
  await Promise.all(workers.map((worker) => worker.stop()));
  expect([await find(id), third.calls()]).toMatchObject([{ status: 'executed', passNumber: 1 }, 1]);
});

test('a decision lets a run go on at once where somebody waits for it, and leaves it to its workflow where nobody does', async () => {
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

test('a pass ahead stops when its run is canceled', async () => {
  const ahead = open();
  const third = held();
  const id = await insert(`await ${post()}; while (true);`);
  await tellStarted(bed.gateway.db, id);
  await third.called;
  third.release();
  await cancelCodeRun(bed.gateway, { codeRunId: id, by: { type: 'operator', id: null } });
  expect(await until(id, ({ lastPass }) => lastPass !== null)).toMatchObject({ status: 'canceled', lastPass: { passNumber: 1 } });
  await ahead.stop();
});

test('a worker that stops lets its passes end: a call that is under way is written down as what it was', async () => {
  const ahead = open({ graceMs: 60_000 });
  const third = held();
  const id = await insert(`return ${post()}`);
  await tellStarted(bed.gateway.db, id);
  await third.called;
  const stopped = ahead.stop();
  third.release();
  await stopped;
  expect([await find(id), third.calls()]).toMatchObject([{ status: 'executed', passNumber: 1, result: { output: 200 } }, 1]);
});

test('a pass that a stop breaks off keeps its lease, under which its calls may still be written down; then the task goes on from there', async () => {
  const ahead = open();
  const third = held();
  const id = await insert(`const status = ${post()}; await new Promise((resolve) => setTimeout(resolve, 200)); return status`);
  await tellStarted(bed.gateway.db, id);
  await third.called;
  third.release();
  while ((await bed.patient('calls').where({ code_run_id: id, status: 'succeeded' })).length === 0) await new Promise(setImmediate);
  await ahead.stop();
  expect(await find(id)).toMatchObject({ status: 'running', isLeased: true });
  await bed.patient('code_runs').where({ id }).update({ leased_until: bed.patient.fn.now() });
  expect(await task(id)).toMatchObject({ status: 'executed' });
  expect([await find(id), third.calls()]).toMatchObject([{ passNumber: 2, result: { output: 200 } }, 1]);
});

test('a wait is over when it was answered: what is decided afterwards lets nothing go on before somebody asks', async () => {
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
  await tellStarted(bed.gateway.db, other);
  await ends(other);
  await ahead.stop();
  expect(await find(id)).toMatchObject({ status: 'waiting', passNumber: 1, isAwaited: false });
  expect(await task(id)).toMatchObject({ status: 'executed' });
});

test('the clock of a run starts when its code first runs, however long people took to allow it, and stays there', async () => {
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

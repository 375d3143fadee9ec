import { decideApproval } from '../../../../commands/approvals/decide-approval.ts';
import { insertWithinQuota } from '../../../../commands/code-runs/insert-within-quota.ts';
import { schedulePass } from '../../../../commands/code-runs/pass/schedule-pass.ts';
import { hashCode } from '../../../../commands/code-runs/plan/plan-code-run.ts';
import type { Gateway } from '../../../../commands/gateway.ts';
import { randomId } from '../../../../infra/tokens.ts';
import type { Sandbox } from '../../../../sandbox/host/open-sandbox.ts';
import { findCodeRun } from '../../../../store/code-runs.ts';
import { type ApiBed, openApiBed } from '../../../api/api-bed.ts';
import { aReceiver, type Receiver } from '../../../support/receiver.ts';
import { until } from '../../../support/until.ts';

let bed: ApiBed;
let sandbox: Sandbox;
let upstream: Receiver;
let serverId: string;
beforeAll(async () => {
  bed = await openApiBed();
  upstream = await aReceiver();
  sandbox = await bed.gateway.sandboxes.isolates();
  const { server } = await bed.api.must(201).post('/api/v1/mcp/servers', { name: 's', workspaceId: bed.workspaceId, mode: 'CODE' });
  serverId = server.id;
  for (const integrationName of ['http', 'hash-encode'])
    await bed.api.must(201).post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, { integrationName });
  await bed.api.must(200).post('/api/v1/approval-policies', { name: 'Ids', actionNames: ['generate_uuid'] });
  await bed.api.must(201).post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, { integrationName: 'http', alias: 'told' });
  const told = { name: 'Told', integrationAliases: ['told'], decision: 'notify_only' };
  await bed.api.must(200).post('/api/v1/approval-policies', told);
});
afterAll(async () => {
  await upstream?.close();
  await bed?.close();
});

/** In the code, `order` lists the reads in the order of their answers. */
const reads = (names: string[], alias = 'http') => `
  const order = [];
  const read = async (name) => {
    await svc.${alias}.send_request({ method: 'GET', url: '${upstream.url}/' + name });
    order.push(name);
  };
  await Promise.all(${JSON.stringify(names)}.map(read));`;
/** The plan does not predict this call. */
const GATE = "await svc.hash_encode[['generate', 'uuid'].join(order.length > 1 ? '_' : '')]({});";

const insert = async (code: string) => {
  const id = randomId('crun_');
  await insertWithinQuota(bed.gateway, {
    ...{ id, orgId: bed.orgId, workspaceId: bed.workspaceId, mcpServerId: serverId, endUserId: null },
    ...{ requestedByType: 'api_key', requestedById: null, code, codeHash: hashCode(code) },
  });
  return id;
};
interface PassOptions {
  signal?: AbortSignal;
  gateway?: Gateway;
  runners?: Sandbox;
}
const pass = (codeRunId: string, { signal = new AbortController().signal, gateway = bed.gateway, runners = sandbox }: PassOptions = {}) =>
  schedulePass(gateway, runners, {
    codeRunId,
    orgId: bed.orgId,
    resume: true,
    cancel: false,
    askedAt: Date.now(),
    patienceMs: 60_000,
    signal,
  });

/** Holds each request until the test answers it. `a#1` is the first request of the path `a`. */
function held() {
  const requests = new Map<string, { arrived: PromiseWithResolvers<void>; answered: PromiseWithResolvers<void> }>();
  const counts = new Map<string, number>();
  const of = (key: string) => {
    const known = requests.get(key) ?? { arrived: Promise.withResolvers<void>(), answered: Promise.withResolvers<void>() };
    requests.set(key, known);
    return known;
  };
  upstream.answerWith(async ({ path }) => {
    const nth = (counts.get(path) ?? 0) + 1;
    counts.set(path, nth);
    const request = of(`${path.slice(1)}#${nth}`);
    request.arrived.resolve();
    await request.answered.promise;
    return { status: 200, body: '{}' };
  });
  return {
    arrived: (...keys: string[]) => Promise.all(keys.map((key) => of(key).arrived.promise)),
    answer: (key: string) => of(key).answered.resolve(),
  };
}

/** Call numbers, in the order in which the program gets the answers. */
const recordedOf = (codeRunId: string): Promise<number[]> =>
  bed
    .patient('calls')
    .where({ code_run_id: codeRunId })
    .whereNotNull('completion_number')
    .orderBy('completion_number')
    .pluck('call_number');
const recorded = (codeRunId: string, count: number) => until(async () => (await recordedOf(codeRunId)).length === count);
const approve = async (codeRunId: string) => {
  const { id: approvalId } = await bed.patient('approvals').where({ code_run_id: codeRunId, status: 'pending' }).first('id');
  await decideApproval(bed.gateway, { approvalId, decision: 'approve', by: { type: 'operator', id: null } });
};

test('every pass delivers answers in the recorded order, even if they arrive in another order', async () => {
  const third = held();
  const id = await insert(`${reads(['a', 'b', 'c'])} ${GATE} return order`);
  const stop = new AbortController();
  const first = pass(id, { signal: stop.signal });
  await third.arrived('a#1', 'b#1', 'c#1');
  third.answer('b#1');
  await recorded(id, 1);
  stop.abort(new Error('the worker stops'));
  await expect(first).rejects.toThrow('the worker stops');

  const second = pass(id);
  await third.arrived('a#2', 'c#2');
  // The first pass was replaced, so its answers are not recorded.
  third.answer('a#1');
  third.answer('c#2');
  await recorded(id, 2);
  third.answer('a#2');
  expect(await second).toMatchObject({ status: 'waiting' });
  expect(await recordedOf(id)).toEqual([1, 2, 0]);

  await approve(id);
  expect(await pass(id)).toMatchObject({ status: 'executed' });
  expect(await findCodeRun(bed.gateway.db, id)).toMatchObject({ passNumber: 3, result: { output: ['b', 'c', 'a'] } });
  expect(upstream.received.map(({ path }) => path).toSorted()).toEqual(['/a', '/a', '/b', '/c', '/c']);
});

test('during a database outage one call retries on behalf of all; after the outage all continue', async () => {
  const third = held();
  const id = await insert(`${reads(['x', 'y', 'z'])} return order`);
  const tries = { x: 0, y: 0, z: 0 };
  const isBack = () => Math.max(...Object.values(tries)) > 3;
  const { policies } = bed.gateway;
  const of: typeof policies.of = async (scope) => {
    const name = /[xyz]$/.exec((scope as { input?: { url?: string } }).input?.url ?? '')?.[0] as keyof typeof tries | undefined;
    if (name) tries[name] += 1;
    if (name && !isBack()) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    return policies.of(scope);
  };
  const whole = pass(id, { gateway: { ...bed.gateway, policies: { of } } });
  await third.arrived('x#1', 'y#1', 'z#1');
  expect(Object.values(tries).toSorted()).toEqual([2, 2, 4]);
  for (const [index, name] of ['z', 'x', 'y'].entries()) {
    third.answer(`${name}#1`);
    await recorded(id, index + 1);
  }
  expect(await whole).toMatchObject({ status: 'executed' });
  expect((await findCodeRun(bed.gateway.db, id))!.result).toMatchObject({ output: ['z', 'x', 'y'] });
});

test('if a pass stops before it repeats an interrupted call, the next pass repeats that call', async () => {
  const third = held();
  const id = await insert(`${reads(['t'], 'told')} return order`);
  const dies = new AbortController();
  const first = pass(id, { signal: dies.signal });
  await third.arrived('t#1');
  expect(await bed.patient('calls').where({ code_run_id: id }).pluck('status')).toEqual(['executing']);
  dies.abort(new Error('the worker is killed'));
  await expect(first).rejects.toThrow('the worker is killed');

  const stops = new AbortController();
  const stopped: Sandbox = {
    ...sandbox,
    runPass: async (_, host) => {
      await host;
      stops.abort(new Error('the next worker stops'));
      return { kind: 'failed', error: { code: 'CODE_CANCELED', message: 'stopped' }, logs: [], sandboxMs: 0 };
    },
  };
  await expect(pass(id, { signal: stops.signal, runners: stopped })).rejects.toThrow('the next worker stops');

  const last = pass(id);
  await third.arrived('t#2');
  third.answer('t#2');
  expect(await last).toMatchObject({ status: 'executed' });
  expect((await findCodeRun(bed.gateway.db, id))!.result).toMatchObject({ output: ['t'] });
  third.answer('t#1');
});

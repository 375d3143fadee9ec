import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createOrg, type NewOrg } from '../../../../commands/access/create-org.ts';
import { insertWithinQuota } from '../../../../commands/code-runs/insert-within-quota.ts';
import { PassNotScheduledError, schedulePass } from '../../../../commands/code-runs/pass/schedule-pass.ts';
import { hashCode } from '../../../../commands/code-runs/plan/plan-code-run.ts';
import { randomId } from '../../../../infra/tokens.ts';
import type { Sandbox } from '../../../../sandbox/host/open-sandbox.ts';
import { findCodeRun } from '../../../../store/code-runs.ts';
import { type ApiBed, openApiBed } from '../../../api/api-bed.ts';
import { callerOf } from '../../../support/caller.ts';
import { until } from '../../../support/until.ts';

/** Of the four slots for passes, one organization gets at most three. */
const PLACES_OF_ONE = 3;
const QUOTA = 6;
let bed: ApiBed;
let sandbox: Sandbox;
beforeAll(async () => {
  bed = await openApiBed({ CODE_PASSES: '4', QUOTA_CODE_RUNS: String(QUOTA) });
  sandbox = await bed.gateway.sandboxes.isolates();
});
afterAll(() => bed.close());

const SPIN = 'while (true);';

async function anOrg() {
  const org: NewOrg = await createOrg(bed.gateway, 'Turns');
  const api = callerOf(bed.apiUrl, org.plainKey);
  const { server } = await api.must(201).post('/api/v1/mcp/servers', { name: 's', workspaceId: org.workspaceId, mode: 'CODE' });
  const insert = async (code: string) => {
    const id = randomId('crun_');
    await insertWithinQuota(bed.gateway, {
      ...{ id, orgId: org.orgId, workspaceId: org.workspaceId, mcpServerId: server.id, endUserId: null },
      ...{ requestedByType: 'api_key', requestedById: null, code, codeHash: hashCode(code) },
    });
    return id;
  };
  return { ...org, api, serverId: server.id as string, insert };
}

const advance = (codeRunId: string, orgId: string, options: { signal?: AbortSignal; patienceMs?: number; cancel?: boolean } = {}) => {
  const { signal = new AbortController().signal, patienceMs = 60_000, cancel = false } = options;
  return schedulePass(bed.gateway, sandbox, { codeRunId, orgId, resume: true, cancel, askedAt: Date.now(), signal, patienceMs });
};

const runsOf = (orgId: string) => bed.patient('code_runs').select('pass_number', 'running_ms', 'status').where({ org_id: orgId });
const begunOf = async (orgId: string) => (await runsOf(orgId)).filter(({ pass_number }) => pass_number > 0).length;

async function spinning() {
  const greedy = await anOrg();
  const stop = new AbortController();
  const ids = [];
  for (let n = 0; n < QUOTA; n += 1) ids.push(await greedy.insert(SPIN));
  const ended = Promise.allSettled(ids.map((id) => advance(id, greedy.orgId, { signal: stop.signal })));
  await until(async () => (await begunOf(greedy.orgId)) === PLACES_OF_ONE);
  const end = async () => {
    stop.abort(new Error('the test is over'));
    await ended;
  };
  return { ...greedy, ids, end };
}

test('spinning runs delay no other organization, and queued runs use up no running time', async () => {
  const greedy = await spinning();
  const modest = await anOrg();
  const id = await modest.insert('return 1');
  expect(await advance(id, modest.orgId)).toMatchObject({ status: 'executed' });
  const runs = await runsOf(greedy.orgId);
  expect(runs.map(({ pass_number }) => pass_number).sort()).toEqual([0, 0, 0, 1, 1, 1]);
  expect(runs.filter(({ pass_number, running_ms }) => pass_number === 0 && running_ms === 0)).toHaveLength(QUOTA - PLACES_OF_ONE);
  await greedy.end();
});

test('a run that gets no slot in time stays without a pass, and can be canceled', async () => {
  const greedy = await spinning();
  const runs = await Promise.all(greedy.ids.map((id) => findCodeRun(bed.gateway.db, id)));
  const [waiting] = runs.filter((run) => run?.passNumber === 0);
  await expect(advance(waiting!.id, greedy.orgId, { patienceMs: 1 })).rejects.toThrow(PassNotScheduledError);
  expect(await findCodeRun(bed.gateway.db, waiting!.id)).toMatchObject({ status: 'running', passNumber: 0 });
  expect(await advance(waiting!.id, greedy.orgId, { cancel: true })).toMatchObject({ status: 'canceled' });
  await greedy.end();
});

test('a run requests its approvals before it waits for a slot', async () => {
  const { api, orgId, workspaceId, insert } = await anOrg();
  await api.must(201).post(`/api/v1/workspaces/${workspaceId}/integrations`, { integrationName: 'hash-encode' });
  await api.must(200).post('/api/v1/approval-policies', { name: 'Ask', integrationNames: ['hash-encode'] });
  const stop = new AbortController();
  const spins = await Promise.all([SPIN, SPIN, SPIN].map(insert));
  const ended = Promise.allSettled(spins.map((id) => advance(id, orgId, { signal: stop.signal })));
  await until(async () => (await begunOf(orgId)) === PLACES_OF_ONE);
  const gated = await insert("return svc.hash_encode.hash({ text: 'x' })");
  expect(await advance(gated, orgId)).toMatchObject({ status: 'waiting', pendingApprovalIds: [expect.any(String)] });
  stop.abort(new Error('the test is over'));
  await ended;
});

test('concurrent starts are accepted up to the quota, and the next start gets a 403', async () => {
  const { insert, api, serverId, orgId } = await anOrg();
  const outcomes = await Promise.allSettled(Array.from({ length: QUOTA + 10 }, () => insert('return 1')));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(QUOTA);
  expect(await api.post(`/api/v1/mcp/servers/${serverId}/execute-code`, { code: 'return 1' })).toMatchObject({
    status: 403,
    body: { code: 'QUOTA_EXCEEDED', details: { quota: QUOTA } },
  });
  await bed
    .patient('code_runs')
    .where('id', bed.patient('code_runs').select('id').where({ org_id: orgId }).limit(1))
    .update({ status: 'waiting' });
  await expect(insert('return 1')).resolves.toEqual(expect.any(String));
});

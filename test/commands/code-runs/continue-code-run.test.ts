import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { continueCodeRun } from '../../../commands/code-runs/continue-code-run.ts';
import { openPassCanceler } from '../../../commands/code-runs/pass/cancel-passes.ts';
import { type EagerPasses, startPassesEagerly } from '../../../commands/code-runs/pass/start-pass-eagerly.ts';
import { settleRun } from '../../../commands/code-runs/settle-run.ts';
import type { Orchestrator } from '../../../commands/orchestrator.ts';
import { beginLeasedPass, declinePass } from '../../../store/code-run-transitions.ts';
import { findCodeRun } from '../../../store/code-runs.ts';
import { PassReplacedError } from '../../../store/fence.ts';
import { insertResumed } from '../../../store/outbox.ts';
import { until } from '../../support/until.ts';
import { type DrivenRuns, openDrivenRuns } from './driven-runs.ts';
import { aPlace, enforce, type Place } from './gated-world.ts';

let runs: DrivenRuns;
let worker: EagerPasses;
let place: Place;
let tags = 0;
beforeAll(async () => {
  runs = await openDrivenRuns();
  worker = startPassesEagerly(runs.gateway, { sandbox: runs.sandbox, passCanceler: openPassCanceler(runs.gateway) }, { graceMs: 0 });
});
afterAll(async () => {
  await worker?.stop();
  await runs?.close();
});
beforeEach(async () => {
  place = await aPlace(runs.gateway, `continued${++tags}`, { name: 'x', amount: 1, op: 'pay' });
});

async function anApprovedRun() {
  await enforce(
    runs.gateway,
    place,
    { decision: 'require_approval', priority: 5, actionNames: ['pay'], integrationAliases: [], amountFrom: null },
    'Paying',
  );
  const { said, run } = await runs.execute(place, {
    code: `return (await svc.bank.pay({ tag: 'continued${tags}', to: 'ada' })).effect > 0`,
  });
  await runs.decide(said.approval.id);
  const outbox = runs.gateway.db('outbox').where({ approval_id: said.approval.id, kind: 'run-resumed' });
  return { approvalId: said.approval.id as string, codeRunId: run.id, outbox };
}

const continueWith = (orchestrator: Partial<Orchestrator>, approvalId: string) => {
  const server = { id: place.serverId, orgId: place.orgId, workspaceId: place.workspaceId, name: 'Code', settings: {} };
  const gateway = { ...runs.gateway, orchestrator: Object.assign(Object.create(runs.gateway.orchestrator), orchestrator) };
  return continueCodeRun(gateway, { server, requestedBy: { type: 'api_key', id: 'key' }, endUserId: null, approvalId });
};
const OPEN: Partial<Orchestrator> = {
  findRunWorkflow: async () => ({ state: 'open' }),
  continueCodeRun: () => Promise.reject(new Error('the workflow was asked to continue')),
};

test('a continuation after the decision starts a pass, and then signals the workflow', async () => {
  const { approvalId, codeRunId, outbox } = await anApprovedRun();
  const signalled = Promise.withResolvers<string[]>();
  const signalResumed = async (...ids: string[]) => signalled.resolve(ids);
  const answer = await continueWith({ ...OPEN, signalResumed }, approvalId);
  expect(answer.run).toMatchObject({ status: 'executed', result: { output: true } });
  expect(await signalled.promise).toEqual([codeRunId, approvalId]);
  await until(async () => (await outbox.clone()).length === 0);
});

test('if the signal fails, the outbox entry stays', async () => {
  const { approvalId, outbox } = await anApprovedRun();
  const failed = Promise.withResolvers<void>();
  const signalResumed = async () => {
    failed.resolve();
    throw new Error('unavailable');
  };
  await continueWith({ ...OPEN, signalResumed }, approvalId);
  await failed.promise;
  expect(await outbox).toHaveLength(1);
});

test('a run is resumed once for each of its passes, and only while it waits', async () => {
  const { approvalId, codeRunId, outbox } = await anApprovedRun();
  const resume = (passNumber: number) => insertResumed(runs.gateway.db, { approvalId, codeRunId, passNumber }, 0);
  expect(await resume(1)).toBe(false);
  expect(await Promise.all([resume(0), resume(0)])).toEqual(expect.arrayContaining([true, false]));
  expect(await outbox.clone()).toHaveLength(1);
  await runs.gateway.db('code_runs').where({ id: codeRunId }).update({ status: 'running', resumed_pass_number: null });
  expect(await resume(0)).toBe(false);
});

test('a continuation executes nothing if an operator terminated the workflow', async () => {
  const { approvalId, codeRunId } = await anApprovedRun();
  const stopped = {
    findRunWorkflow: async () => ({ state: 'stopped', by: 'ada', reason: 'no' }) as const,
    continueCodeRun: async () => false,
  };
  expect((await continueWith(stopped, approvalId)).run.status).toBe('canceled');
  expect(await runs.gateway.db('calls').where({ code_run_id: codeRunId })).toEqual([]);
});

test.each([
  ['leaves an outbox entry if the workflow has found the run waiting', true, 1],
  ['leaves no outbox entry if the workflow has not checked the run', false, 0],
])('a pass that begins before the workflow asks for it %s', async (_what, hasLooked, entries) => {
  const { codeRunId, outbox } = await anApprovedRun();
  if (hasLooked) expect(await settleRun(runs.gateway, codeRunId)).toMatchObject({ status: 'waiting' });
  await begin(codeRunId);
  expect(await outbox).toHaveLength(entries);
});

test('a workflow that reads a waiting run is told to advance it if a pass has begun since', async () => {
  const { codeRunId } = await anApprovedRun();
  const run = await find(codeRunId);
  await begin(codeRunId);
  await expect(declinePass(runs.gateway.db, run)).rejects.toThrow(PassReplacedError);
  expect(await settleRun(runs.gateway, codeRunId)).toBe('advance');
});

const find = async (codeRunId: string) => (await findCodeRun(runs.gateway.db, codeRunId))!;
const begin = async (codeRunId: string) =>
  beginLeasedPass(
    runs.gateway.db,
    { ...(await find(codeRunId)), clockStartedAt: new Date() },
    { toolSurfaceHash: 'of nothing', groups: [] },
  );

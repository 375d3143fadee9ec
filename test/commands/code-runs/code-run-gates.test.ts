import { advanceRun } from '../../../commands/code-runs/advance-run.ts';
import { executeCode } from '../../../commands/code-runs/execute-code.ts';
import { changeSurface } from '../../../commands/surfaces/change-surface.ts';
import { addWorkspaceIntegration } from '../../../commands/workspace-integrations/add-workspace-integration.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { beginPass } from '../../../store/code-run-transitions.ts';
import { raisePoliciesVersion } from '../../../store/orgs.ts';
import { type DrivenRuns, openDrivenRuns } from './driven-runs.ts';
import type { PolicySpec } from './gated-programs.ts';
import { aPlace, enforce, type Place } from './gated-world.ts';

let runs: DrivenRuns;
let place: Place;
let tags = 0;
beforeAll(async () => {
  runs = await openDrivenRuns();
});
afterAll(() => runs?.close());
beforeEach(async () => {
  place = await aPlace(runs.gateway, `gates${++tags}`, { name: 'x', amount: 1, op: 'pay' });
});

const ASKS: PolicySpec = { decision: 'require_approval', priority: 5, actionNames: ['pay'], integrationAliases: [], amountFrom: null };
const pay = (action = '.pay') => `svc.bank${action}({ tag: 'gates${tags}', to: 'ada' })`;
const COMPUTED = "[atob('cGF5')]";
const surfaceChanges = () =>
  changeSurface(runs.gateway.db, place.workspaceId, (tx) =>
    tx('workspace_integrations')
      .where({ id: place.bank.id })
      .update({ settings: JSON.stringify({ persistence: { scope: 'workspace' } }) }),
  );
const withdraw = async ({ id }: { id: string }) => {
  await runs.gateway.db('approval_policies').where({ id }).delete();
  await raisePoliciesVersion(runs.gateway.db, place.orgId);
};

test('after a change of the tools, a gate answers "required" once, and then "pending"', async () => {
  await enforce(runs.gateway, place, ASKS, 'Paying');
  const first = (await runs.execute(place, { code: `return (await ${pay()}).effect > 0` })).said;
  await runs.decide(first.approval.id);
  await surfaceChanges();
  const anew = (await runs.execute(place, { approvalId: first.approval.id })).said;
  expect(anew).toMatchObject({ status: 'approval_required', view: 'approval_required', title: 'Approval required' });
  expect(anew.approval.id).not.toBe(first.approval.id);
  for (const approvalId of [first.approval.id, anew.approval.id])
    expect((await runs.execute(place, { approvalId })).said).toMatchObject({
      status: 'approval_pending',
      approval: { id: anew.approval.id },
    });
  await runs.decide(anew.approval.id);
  expect((await runs.execute(place, { approvalId: first.approval.id })).said).toMatchObject({ status: 'executed', output: true });
});

test('a caller who missed the request for the new approval gets "required"', async () => {
  await enforce(runs.gateway, place, ASKS, 'Paying');
  const { said: first, run } = await runs.execute(place, { code: `return (await ${pay()}).effect > 0` });
  await runs.decide(first.approval.id);
  await surfaceChanges();
  await runs.orchestrator.continueCodeRun(run.id);
  const anew = (await runs.execute(place, { approvalId: first.approval.id })).said;
  expect(anew.status).toBe('approval_required');
  expect((await runs.execute(place, { approvalId: anew.approval.id })).said.status).toBe('approval_pending');
});

test('continuing with a pending approval answers "pending", even if no earlier answer named that approval', async () => {
  await enforce(runs.gateway, place, ASKS, 'Paying');
  const { said } = await runs.execute(place, { code: `return await ${pay()}` });
  await runs.gateway.db('approvals').where({ id: said.approval.id }).update({ announced_at: null });
  expect((await runs.execute(place, { approvalId: said.approval.id })).said.status).toBe('approval_pending');
});

test('an alias named like a built-in object property can be called and is gated', async () => {
  await enforce(runs.gateway, place, ASKS, 'Paying');
  const { orgId, workspaceId, bank } = place;
  const by = { type: 'system', id: null } as const;
  await addWorkspaceIntegration(runs.gateway, by, {
    ...{ orgId, workspaceId, integrationName: 'bank', alias: 'constructor', displayName: null, connectionStrategy: 'fixed' },
    ...{ connectionId: bank.connectionId, enabledActions: null, settings: {}, sortOrder: 0 },
  });
  const code = `return (await svc.constructor.pay({ tag: 'gates${tags}', to: 'ada' })).effect > 0`;
  const { approval } = (await runs.execute(place, { code })).said;
  await runs.decide(approval.id);
  expect((await runs.execute(place, { approvalId: approval.id })).said).toMatchObject({ status: 'executed', output: true });
});

test("a held call consumes the plan's approval, and the next equal call needs a new approval", async () => {
  await enforce(runs.gateway, place, ASKS, 'Paying');
  const planned = (await runs.execute(place, { code: `await ${pay()}; await ${pay(COMPUTED)}; return 'done'` })).said;
  const other = await enforce(runs.gateway, place, { ...ASKS, priority: 1 }, 'Another');
  await runs.decide(planned.approval.id);
  const held = (await runs.execute(place, { approvalId: planned.approval.id })).said;
  expect([held.status, place.books.effects.length]).toEqual(['approval_required', 0]);

  await withdraw(other);
  await runs.decide(held.approval.id);
  const next = (await runs.execute(place, { approvalId: held.approval.id })).said;
  expect([next.status, place.books.effects.length]).toEqual(['approval_required', 1]);
  const about = await runs.gateway.db('approvals').where({ id: next.approval.id }).first();
  expect(about).toMatchObject({ policy_name: 'Paying', call_number: 1 });
  const first = await runs.gateway.db('calls').where({ code_run_id: about.code_run_id, call_number: 0 }).first();
  expect(first).toMatchObject({ status: 'succeeded', approval_id: planned.approval.id });
  expect((await runs.gateway.db('approvals').where({ id: planned.approval.id }).first()).status).toBe('consumed');

  // The other approval is no longer needed, so its expiry does not end the run.
  await runs.gateway
    .db('receipts')
    .where({ approval_id: held.approval.id })
    .update({ expires_at: runs.gateway.db.raw('now()') });
  await runs.decide(next.approval.id);
  expect((await runs.execute(place, { approvalId: next.approval.id })).said).toMatchObject({ status: 'executed', output: 'done' });
  expect(place.books.effects).toHaveLength(2);
});

test('a held call whose input differs from the plan needs a new approval', async () => {
  await enforce(runs.gateway, place, ASKS, 'Paying');
  const elsewhere = `svc.bank${COMPUTED}({ tag: 'gates${tags}', to: 'eve' })`;
  const planned = (await runs.execute(place, { code: `await ${elsewhere}; await ${pay()}; return 'done'` })).said;
  const other = await enforce(runs.gateway, place, { ...ASKS, priority: 1 }, 'Another');
  await runs.decide(planned.approval.id);
  const held = (await runs.execute(place, { approvalId: planned.approval.id })).said;
  await withdraw(other);
  await runs.decide(held.approval.id);
  expect((await runs.execute(place, { approvalId: held.approval.id })).said.status).toBe('approval_required');
  expect(place.books.effects).toHaveLength(0);
});

test('the same code returns the same pending approval only to the same caller', async () => {
  await enforce(runs.gateway, place, ASKS, 'Paying');
  const send = async (request: object = {}) => (await runs.execute(place, { code: `return await ${pay()}`, ...request })).said;
  const first = await send();
  expect((await send()).description).toContain(`already waits under approval \`${first.approval.id}\``);
  expect((await send({ code: `return [await ${pay()}]` })).description).not.toContain('already');
  expect((await send({ endUserId: 'ada' })).description).not.toContain('already');
  expect((await send({ requestedBy: { type: 'mcp_token', id: null } })).description).not.toContain('already');
});

test('a token continues only runs of its end user; a token without end user, only runs without one', async () => {
  await enforce(runs.gateway, place, ASKS, 'Paying');
  const asToken = (endUserId: string | null) => ({ endUserId, requestedBy: { type: 'mcp_token', id: null } as const });
  const codeOf = async (request: object) =>
    (await runs.execute(place, request).catch((error) => ({ said: { status: error.code } }))).said.status;
  for (const owner of ['ada', null]) {
    const { said } = await runs.execute(place, { code: `return (await ${pay()}).effect > 0`, ...asToken(owner) });
    await runs.decide(said.approval.id);
    for (const other of ['ada', 'bob', null].filter((one) => one !== owner))
      expect(await codeOf({ approvalId: said.approval.id, ...asToken(other) })).toBe('APPROVAL_NOT_FOUND');
    expect(await codeOf({ approvalId: said.approval.id, ...asToken(owner) })).toBe('executed');
    expect(await codeOf({ approvalId: said.approval.id })).toBe('executed');
  }
});

describe('a failure of Temporal at the start of a run does not hide the answer of the run', () => {
  beforeEach(() => {
    runs.hearing.isOn = false;
  });
  afterEach(() => {
    runs.hearing.isOn = true;
  });
  const away = () => Promise.reject(new GatewayError('UNAVAILABLE', 'Away.'));
  const start = (meanwhile: (codeRunId: string) => Promise<unknown>) => {
    const orchestrator = Object.assign(Object.create(runs.gateway.orchestrator), {
      startCodeRun: ({ codeRunId }: { codeRunId: string }) => meanwhile(codeRunId).then(away),
    });
    const server = { id: place.serverId, orgId: place.orgId, workspaceId: place.workspaceId, name: 'Code', settings: {} };
    const caller = { server, requestedBy: { type: 'api_key', id: null }, endUserId: null } as const;
    return executeCode({ ...runs.gateway, orchestrator }, { ...caller, code: `await ${pay()}; return 1` });
  };

  test('for a run that waits at its plan', async () => {
    await enforce(runs.gateway, place, ASKS, 'Paying');
    const { run, awaited } = await start((codeRunId) =>
      advanceRun(runs.gateway, runs.sandbox, {
        ...{ codeRunId, resume: true, cancel: false, mayPass: true },
        signal: new AbortController().signal,
      }),
    );
    expect([run.status, run.passNumber, awaited?.kind]).toEqual(['waiting', 0, 'required']);
    await runs.decide(awaited!.approvals[0].id);
    expect((await runs.execute(place, { approvalId: awaited!.approvals[0].id })).said).toMatchObject({ status: 'executed', output: 1 });
    expect(place.books.effects).toHaveLength(1);
  });

  test('for a run that has begun its first pass', async () => {
    const { run } = await start(async (codeRunId) => {
      const plan = { toolSurfaceHash: 'of the pass that begins', groups: [] };
      await beginPass(runs.gateway.db, { id: codeRunId, status: 'running', passNumber: 0, clockStartedAt: new Date() }, plan);
      void runs.orchestrator.startCodeRun({ codeRunId });
    });
    expect([run.status, run.result?.output]).toEqual(['executed', 1]);
    expect(place.books.effects).toHaveLength(1);
  });
});

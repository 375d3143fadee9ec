import { randomUUID } from 'node:crypto';
import { openActionSandbox } from '../../../../commands/programs/action-sandbox.ts';
import { openSandboxes } from '../../../../commands/programs/sandboxes.ts';
import { type DrivenRuns, openDrivenRuns } from '../driven-runs.ts';
import { aPlace, type Place } from '../gated-world.ts';

let runs: DrivenRuns;
let place: Place;
beforeAll(async () => {
  runs = await openDrivenRuns();
  place = await aPlace(runs.gateway, 'shared', { name: 'x', amount: 1, op: 'pay' });
});
afterAll(() => runs?.close());

const LOOK = `const seen = typeof left; globalThis.left = 1; return seen`;

test('only runs of the same principal share a process, and no runs share state', async () => {
  const { orgId, workspaceId } = place;
  const endUsers = ['one', 'other', null, 'one', null];
  for (const endUserId of endUsers)
    expect((await runs.execute(place, { code: LOOK, endUserId })).said).toMatchObject({ status: 'executed', output: 'undefined' });
  const kept = runs.sandbox.keptRunners();
  expect(kept.map(({ principal, passes }) => ({ principal, passes }))).toEqual([
    { principal: { orgId, workspaceId, endUserId: 'other' }, passes: 1 },
    { principal: { orgId, workspaceId, endUserId: 'one' }, passes: 2 },
    { principal: { orgId, workspaceId, endUserId: null }, passes: 2 },
  ]);
  expect(new Set(kept.map(({ pid }) => pid)).size).toBe(3);
});

test.each([
  ['principal', true, 1],
  ['never', false, 0],
])('SANDBOX_REUSE=%s decides whether the process of a computation is kept', async (_setting, reusesRunners, count) => {
  const { config, logger } = runs.gateway;
  const sandboxes = openSandboxes({ ...config, code: { ...config.code, reusesRunners } }, logger, { least: 0, most: 1, kept: 4 });
  const call = { orgId: randomUUID(), workspaceId: randomUUID(), workspaceIntegrationId: null, endUserId: 'one', settings: undefined };
  const action = openActionSandbox({ ...runs.gateway, sandboxes }, { ...call, signal: new AbortController().signal });
  for (let n = 0; n < 2; n += 1) expect(await action.compute({ code: LOOK, inputs: {} })).toMatchObject({ ok: true, result: 'undefined' });
  const kept = (await sandboxes.isolates()).keptRunners();
  const { orgId, workspaceId, endUserId } = call;
  expect(kept).toEqual(
    Array.from({ length: count }, () => expect.objectContaining({ principal: { orgId, workspaceId, endUserId }, passes: 2 })),
  );
  await sandboxes.close();
});

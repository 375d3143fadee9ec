import { findCodeRun } from '../../../../store/code-runs.ts';
import { killRunners } from '../../../chaos/runner-processes.ts';
import { until } from '../../../support/until.ts';
import { type DrivenRuns, openDrivenRuns } from '../driven-runs.ts';
import { aPlace, type Place } from '../gated-world.ts';

const onLinux = process.platform === 'linux' ? test : test.skip;

let runs: DrivenRuns;
let place: Place;
beforeAll(async () => {
  runs = await openDrivenRuns();
  place = await aPlace(runs.gateway, 'killed', { name: 'x', amount: 1, op: 'pay' });
});
afterAll(() => runs?.close());

onLinux('a runner that is killed in the first pass is replaced: the run resumes from its record and repeats no call', async () => {
  const { db } = runs.gateway;
  const code = `await svc.bank.read({ tag: 'killed' }); await new Promise((resolve) => setTimeout(resolve, 2000)); return 'done'`;
  const answer = runs.execute(place, { code });
  const call = await until(async () => db('calls').where({ workspace_id: place.workspaceId }).whereNotNull('finished_at').first());
  expect(await killRunners(process.pid)).toBeGreaterThan(0);
  expect((await answer).said).toMatchObject({ status: 'executed', output: 'done', actionsExecuted: 1 });
  expect(await db('calls').where({ workspace_id: place.workspaceId })).toHaveLength(1);
  expect(await findCodeRun(db, call.code_run_id)).toMatchObject({ status: 'executed', passNumber: 1 });
});

import { readCodeRunHistory } from '../../../commands/reviews/read-code-run-history.ts';
import { findCodeRun } from '../../../store/code-runs.ts';
import { type DrivenRuns, openDrivenRuns } from './driven-runs.ts';
import type { PolicySpec } from './gated-programs.ts';
import { aPlace, enforce, type Place } from './gated-world.ts';

const RESULTS = 100;
const RESULT_BYTES = 200_000;
const MB = 1024 * 1024;

let runs: DrivenRuns;
let place: Place;
let approvalId: string;
let runId: string;
/** For each statement, how many bytes of stored values the database returned. */
let answers: number[] = [];

beforeAll(async () => {
  runs = await openDrivenRuns();
  runs.gateway.db.on('query-response', (rows: unknown) => answers.push(bytesIn(rows)));
  place = await aPlace(runs.gateway, 'large', { name: 'x', amount: 1, op: 'pay' });
  const policy: PolicySpec = { decision: 'require_approval', priority: 1, actionNames: ['pay'], integrationAliases: [], amountFrom: null };
  await enforce(runs.gateway, place, policy, 'Paying');
  const code = `let length = 0;
    for (let n = 0; n < ${RESULTS}; n++) length += (await svc.bank.statement({ tag: 'large', bytes: ${RESULT_BYTES} })).text.length;
    await svc.bank[atob('cGF5')]({ tag: 'large', to: 'ada' });
    return length`;
  const { said } = await runs.execute(place, { code });
  ({ id: approvalId } = said.approval);
  runId = (await runs.gateway.db('code_runs').where({ mcp_server_id: place.serverId }).first()).id;
});
afterAll(() => runs?.close());

function bytesIn(rows: unknown): number {
  const values = Array.isArray(rows) ? rows.flatMap((row) => (row && typeof row === 'object' ? Object.values(row) : [])) : [];
  return values.reduce<number>((sum, value) => sum + (Buffer.isBuffer(value) ? value.length : 0), 0);
}

const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);

test("asking for a waiting approval never reads the run's results", async () => {
  answers = [];
  const told = await Promise.all(Array.from({ length: 20 }, () => runs.execute(place, { approvalId })));
  expect(new Set(told.map(({ said }) => said.status))).toEqual(new Set(['approval_pending']));
  expect(sum(answers) / 20).toBeLessThan(20_000);
});

test('the history reads a limited amount of results and marks the others as too large', async () => {
  answers = [];
  const run = (await findCodeRun(runs.gateway.db, runId))!;
  const { calls } = await readCodeRunHistory(runs.gateway, run, { maySee: () => true });
  const shown = calls.filter(({ output }) => output.is === 'shown').length;
  const tooLarge = calls.filter(({ output }) => output.is === 'too_large').length;
  expect([shown > 0, shown + tooLarge]).toEqual([true, RESULTS]);
  expect(sum(answers)).toBeLessThan(2 * MB + 200_000);
});

test('the resuming pass reads results in chunks, and repeating the request reads none', async () => {
  await runs.decide(approvalId);
  answers = [];
  const { said } = await runs.execute(place, { approvalId });
  expect(said).toMatchObject({ status: 'executed', output: RESULTS * RESULT_BYTES, actionsExecuted: RESULTS + 1 });
  expect(said.timings.steps).toHaveLength(RESULTS + 1);
  expect(sum(answers)).toBeGreaterThan((RESULTS * RESULT_BYTES) / 2);
  expect(Math.max(...answers)).toBeLessThan(2 * MB + 1);
  answers = [];
  expect((await runs.execute(place, { approvalId })).said).toEqual(said);
  expect(sum(answers)).toBeLessThan(20_000);
});

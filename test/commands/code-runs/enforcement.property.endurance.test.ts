import fc from 'fast-check';
import pLimit from 'p-limit';
import { decideApproval } from '../../../commands/approvals/decide-approval.ts';
import { advanceRun } from '../../../commands/code-runs/advance-run.ts';
import type { CallOutcome, RecordedCall } from '../../../domain/call.ts';
import type { CodeRun, RunState } from '../../../domain/code-run.ts';
import { openSandbox, type Sandbox } from '../../../sandbox/host/open-sandbox.ts';
import { listRunApprovals } from '../../../store/approvals.ts';
import { findCodeRun } from '../../../store/code-runs.ts';
import { readJournal } from '../../../store/journal.ts';
import { listOutcomes } from '../../../store/journal-outcomes.ts';
import { decodePayload } from '../../../store/payload.ts';
import { extent } from '../../support/extent.ts';
import { makeChange } from './gated-changes.ts';
import { effectsOf, judge, type Made } from './gated-oracle.ts';
import { type GatedCase, makeGatedCase } from './gated-programs.ts';
import { aPlace, aRun, enforce, type GatedWorld, openGatedWorld, type Place } from './gated-world.ts';

const PROGRAMS = extent({ whole: 204, sample: 24 });
const AT_ONCE = 4;

let world: GatedWorld;
let sandbox: Sandbox;
beforeAll(async () => {
  world = await openGatedWorld();
  sandbox = openSandbox({ logger: world.gateway.logger, poolSize: AT_ONCE, memoryMb: world.gateway.config.code.memoryMb });
});
afterAll(async () => {
  await sandbox.close();
  await world.close();
});

const seed = Date.now() % 2 ** 31;

test(`no gated call runs without a matching approval, after any change (seed ${seed})`, async () => {
  const tapes = fc.sample(fc.array(fc.nat(), { minLength: 60, maxLength: 60 }), { numRuns: PROGRAMS, seed });
  const slots = pLimit(AT_ONCE);
  const played = await Promise.all(tapes.map((tape, index) => slots(() => play(makeGatedCase(tape, index)))));
  expect(played.filter(({ problems }) => problems.length > 0)).toEqual([]);
  const sum = (count: (one: (typeof played)[number]) => number) => played.reduce((total, one) => total + count(one), 0);
  const counted = {
    byPlan: sum(({ byPlan }) => byPlan),
    byCall: sum(({ byCall }) => byCall),
    askedAgain: sum((one) => Number(one.isAskedAgain)),
  };
  console.info(`enforcement: ${PROGRAMS} programs, seed ${seed}, ${JSON.stringify(counted)}`);
  const counts = Object.values(counted);
  // A sample needs only one high count.
  expect(extent({ whole: Math.min(...counts), sample: Math.max(...counts) })).toBeGreaterThan(PROGRAMS / 10);
}, 300_000);

async function play(made: GatedCase) {
  const { gateway } = world;
  const place = await aPlace(gateway, made.tag, made.world[0]);
  for (const [index, policy] of made.policies.entries()) await enforce(gateway, place, policy, `Policy ${index}`);
  const expected = made.change === 'none' ? await effectsOf(made, place.books.policies) : [];
  const run = await aRun(gateway, place, made.program);
  const accounts = await accountsOf(place);
  const before = { approvals: new Set<string>(), effects: Number.POSITIVE_INFINITY };
  const asked = new Set<string>();
  let state = await advance(run, made);
  for (let wait = 1; state.status === 'waiting' && wait < 20; wait += 1) {
    const approveAll = async () => {
      for (const approvalId of state.pendingApprovalIds) {
        asked.add(approvalId);
        await decideApproval(gateway, { approvalId, decision: 'approve', by: { type: 'operator', id: null } }).catch(refuseUnlessSettled);
      }
    };
    const decidesFirst = made.policies.length % 2 === 0;
    if (decidesFirst) await approveAll();
    if (wait === made.changeAtWait) {
      await makeChange(world, place, run, made);
      before.effects = place.books.effects.length;
      for (const { id } of await listRunApprovals(gateway.db, run.id)) before.approvals.add(id);
      for (const [id, account] of await accountsOf(place))
        accounts.set(id, account === 'first' && made.change === 'reconnect' ? 'first again' : account);
    }
    if (!decidesFirst) await approveAll();
    state = await advance(run, made);
  }
  const [calls, approvals] = [await recordedCalls(run), await listRunApprovals(gateway.db, run.id)];
  const judged = judge({ books: place.books, calls, approvals, before, change: made.change, accounts });
  const problems = [...judged.problems, ...(await problemsOfEnd(run, made, state))];
  if (made.change === 'none') problems.push(...differences(expected, place.books.effects));
  if (made.change === 'race' && place.books.effects.length > calls.filter(({ status }) => status !== 'gated').length)
    problems.push('there are more effects than calls');
  const isAskedAgain = [...asked].some((id) => before.approvals.size > 0 && !before.approvals.has(id));
  return {
    ...judged,
    problems,
    isAskedAgain,
    ...(problems.length > 0 && { made, seed, ended: (await findCodeRun(gateway.db, run.id))?.result }),
  };
}

async function recordedCalls({ id }: CodeRun): Promise<RecordedCall[]> {
  const { db } = world.gateway;
  const { calls } = await readJournal(db, id);
  const outcomes = await listOutcomes(
    db,
    calls.map((call) => call.id),
  );
  return calls.map((call) => {
    const stored = outcomes.get(call.id);
    return { ...call, outcome: stored ? decodePayload<CallOutcome>(stored) : null };
  });
}

async function advance(run: CodeRun, { change }: GatedCase): Promise<RunState> {
  const once = () =>
    advanceRun(world.gateway, sandbox, {
      ...{ codeRunId: run.id, resume: true, cancel: false, mayPass: true },
      signal: new AbortController().signal,
    });
  const [first] = await Promise.all(change === 'race' ? [once(), once()] : [once()]);
  if (change !== 'race') return first!;
  const { status } = (await findCodeRun(world.gateway.db, run.id))!;
  return {
    ...first!,
    status,
    pendingApprovalIds: (await listRunApprovals(world.gateway.db, run.id)).filter((one) => one.status === 'pending').map(({ id }) => id),
  };
}

async function accountsOf({ bank, spare }: Place): Promise<Map<string, string>> {
  const rows = await world.gateway
    .db('connections')
    .whereIn('id', [bank.connectionId, spare.connectionId])
    .select('id', 'credentials_version');
  return new Map(
    rows.map(({ id, credentials_version }) => [`${id}/${credentials_version}`, id === bank.connectionId ? 'first' : 'second']),
  );
}

/** A change that deletes a record cancels pending approvals, so only other errors are thrown. */
function refuseUnlessSettled(error: { code?: string }): void {
  if (error.code !== 'APPROVAL_ALREADY_DECIDED') throw error;
}

async function problemsOfEnd({ id }: CodeRun, { change }: GatedCase, { status }: RunState): Promise<string[]> {
  const run = (await findCodeRun(world.gateway.db, id))!;
  const allowed: Record<string, string[]> = {
    CODE_DIVERGED: ['code', 'alias removed', 'alias taken', 'action disabled'],
    CODE_CALL_OUTCOME_UNKNOWN: ['race'],
  };
  const code = run.result?.error?.code ?? '';
  if (status === 'waiting' || status === 'running') return [`the run is still ${status}`];
  const isOurs = ['CODE_RUN_FAILED', 'CODE_CRASHED', 'CODE_UNAVAILABLE', 'CODE_SYNTAX_ERROR', 'CODE_STALLED'].includes(code);
  return isOurs || allowed[code]?.includes(change) === false ? [`the run ended with ${code}: ${run.result?.error?.message}`] : [];
}

function differences(expected: Made[], effects: Made[]): string[] {
  const texts = (made: Made[]) =>
    made.map(({ action, input, account }) => JSON.stringify([action, account, Object.entries(input).sort()])).sort();
  const [wanted, got] = [texts(expected), texts(effects)];
  return JSON.stringify(wanted) === JSON.stringify(got) ? [] : [`effects ${JSON.stringify(got)} instead of ${JSON.stringify(wanted)}`];
}

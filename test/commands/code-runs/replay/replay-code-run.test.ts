import { cancelCodeRun } from '../../../../commands/code-runs/cancel-code-run.ts';
import { openTableContents } from '../../../support/table-contents.ts';
import type { PolicySpec } from '../gated-programs.ts';
import { enforce, type Place } from '../gated-world.ts';
import { openReplayBed, type ReplayBed, rowsOf, same } from './replay-bed.ts';

let bed: ReplayBed;
let place: Place & { tag: string };
beforeAll(async () => {
  bed = await openReplayBed();
});
afterAll(() => bed?.close());
beforeEach(async () => {
  place = await bed.aPlace();
});

const ASKS: PolicySpec = { decision: 'require_approval', priority: 5, actionNames: ['pay'], integrationAliases: [], amountFrom: null };
const send = (to: string) => `svc.bank.send({ tag: '${place.tag}', to: '${to}' })`;
const pay = (to: string) => `svc.bank.pay({ tag: '${place.tag}', to: '${to}' })`;
const effects = () => place.books.effects.length;

async function openTablesWithoutActivity() {
  const contents = await openTableContents(bed.gateway.db, []);
  return async () => Object.entries(await contents()).filter(([table]) => !table.startsWith('activity'));
}

const intricate = () => `
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const [one, two] = await Promise.all([${send('ada')}, ${send('bob')}]);
  const first = await Promise.race([sleep(60_000).then(() => 'slept'), ${send('carl')}.then(() => 'sent')]);
  await sleep(20);
  let failure;
  try { await svc.bank.read({ tag: 7 }); } catch (error) { failure = error.code; }
  console.log(first, failure);
  for (let index = 0; index < 3; index++) await ${send('loop')};
  return { order: one.effect < two.effect, first, failure, at: Date.now(), random: Math.random(), id: crypto.randomUUID() };`;

describe('the same program', () => {
  test('makes the same calls, ends the same way and changes only the activity log', async () => {
    const { run } = await bed.record(place, intricate());
    expect(run.status).toBe('executed');
    const before = effects();
    const contents = await openTablesWithoutActivity();
    const unchanged = await contents();
    const replay = await bed.replay(run, intricate());
    expect(replay).toMatchObject({
      firstDifference: -1,
      isEndSame: true,
      end: { kind: 'returned' },
    });
    expect(replay.calls.every(({ is, replayed }) => is === 'same' && replayed?.isAnswered)).toBe(true);
    expect(replay.calls).toHaveLength(7);
    expect(replay.logs.lines).toEqual(run.result!.logs);
    expect([effects(), await contents()]).toEqual([before, unchanged]);
    const [row] = await bed.gateway.db('activity').where({ code_run_id: run.id });
    expect(row).toMatchObject({ type: 'code_run.replayed', actor_type: 'user', details: { codeHash: run.codeHash } });
  });

  test('is replayed across its pauses and needs no approvals', async () => {
    await enforce(bed.gateway, place, ASKS, 'Paying');
    const code = `const computed = svc.bank[atob('cGF5')]; const a = await ${send('ada')};
      const b = await computed({ tag: '${place.tag}', to: 'bob' }); await ${send('carl')}; return [typeof a.effect, typeof b.effect];`;
    const { run: paused, approvalId } = await bed.record(place, code);
    await bed.decide(approvalId!);
    await bed.execute(place, { approvalId: approvalId! });
    const run = await bed.read(paused.id);
    expect([run.status, run.passNumber > 1]).toEqual(['executed', true]);
    const before = [effects(), (await bed.gateway.db('approvals')).length];
    const replay = await bed.replay(run, code);
    expect([replay.firstDifference, replay.isEndSame, rowsOf(replay)]).toEqual([-1, true, same(1, 2, 3)]);
    expect([effects(), (await bed.gateway.db('approvals')).length]).toEqual(before);
  });

  test('of a failed run fails again, and another error is a different end', async () => {
    const { run } = await bed.record(place, `await ${send('ada')}; throw new Error('first')`);
    expect(await bed.replay(run, run.code)).toMatchObject({ isEndSame: true, end: { kind: 'failed', error: { message: 'first' } } });
    const other = await bed.replay(run, run.code.replace('first', 'second'));
    expect(other).toMatchObject({ firstDifference: -1, isEndSame: false, end: { kind: 'failed' } });
  });

  test.each(['reject', 'cancel'] as const)('of a run that ended at a held call (%s) stops there without a difference', async (how) => {
    await enforce(bed.gateway, place, ASKS, 'Paying');
    const code = `await ${send('ada')}; const { effect } = await svc.bank[atob('cGF5')]({ tag: '${place.tag}', to: 'bob' }); return effect`;
    const { run: paused, approvalId } = await bed.record(place, code);
    if (how === 'cancel') await cancelCodeRun(bed.gateway, { codeRunId: paused.id, by: { type: 'api_key', id: null } });
    else {
      await bed.decide(approvalId!, 'reject');
      await bed.execute(place, { approvalId: approvalId! });
    }
    const run = await bed.read(paused.id);
    const replay = await bed.replay(run, code);
    expect(replay).toMatchObject({ firstDifference: -1, isEndSame: null, isCutShort: true, end: { kind: 'stopped' } });
    expect(rowsOf(replay)).toEqual([...same(1), ['same', 2, false]]);
    const without = await bed.replay(run, `await ${send('ada')}; return 'enough'`);
    expect(without).toMatchObject({ end: { kind: 'returned', output: { value: 'enough' } }, isEndSame: null });
    expect(rowsOf(without)).toEqual([...same(1), ['missing', 2, null]]);
  });
});

describe('a changed program', () => {
  const recorded = async () => (await bed.record(place, `await ${send('ada')}; await ${send('bob')}; await ${pay('carl')}; return 1`)).run;

  test.each<[string, () => string, unknown[][], number, unknown]>([
    ['another output', () => `await ${send('ada')}; await ${send('bob')}; await ${pay('carl')}; return 2`, [], -1, false],
    [
      'one call less',
      () => `await ${send('ada')}; await ${pay('carl')}; return 1`,
      [
        ['same', 1, true],
        ['missing', 2, null],
        ['same', 3, true],
      ],
      1,
      true,
    ],
    [
      'another input',
      () => `await ${send('ada')}; await ${send('eve')}; await ${pay('carl')}; return 1`,
      [
        ['same', 1, true],
        ['input', 2, false],
        ['not_reached', 3, null],
      ],
      1,
      null,
    ],
    [
      'another action',
      () => `await ${send('ada')}; await ${pay('bob')}; return 1`,
      [
        ['same', 1, true],
        ['action', 2, false],
        ['not_reached', 3, null],
      ],
      1,
      null,
    ],
    [
      'one call more',
      () => `await ${send('ada')}; await ${send('bob')}; await ${pay('carl')}; await ${send('eve')}; return 1`,
      [
        ['same', 1, true],
        ['same', 2, true],
        ['same', 3, true],
        ['added', null, false],
      ],
      3,
      null,
    ],
    [
      'another order',
      () => `await ${send('bob')}; await ${send('ada')}; await ${pay('carl')}; return 1`,
      [
        ['moved', 2, true],
        ['moved', 1, true],
        ['same', 3, true],
      ],
      0,
      true,
    ],
    [
      'one more parallel call, while the others still get their answers',
      () =>
        `const [, last] = await Promise.all([${send('eve')}, (async () => { await ${send('ada')}; await ${send('bob')}; return ${pay('carl')} })()]); return last`,
      [
        ['added', null, false],
        ['same', 1, true],
        ['same', 2, true],
        ['same', 3, true],
      ],
      0,
      null,
    ],
  ])('with %s: the calls, the first difference and the end are compared', async (_, code, rows, first, isEndSame) => {
    const run = await recorded();
    const before = effects();
    const replay = await bed.replay(run, code());
    expect([replay.firstDifference, replay.isEndSame]).toEqual([first, isEndSame]);
    if (rows.length > 0) expect(rowsOf(replay)).toEqual(rows);
    expect(effects()).toBe(before);
  });

  test('shows the new input of a call, without secrets', async () => {
    const run = await recorded();
    const secret = 'sk_live_abcdefghijklmnop1234';
    const replay = await bed.replay(run, `await ${send('ada')}; await svc.bank.send({ tag: 'x', to: 'eve', note: 'Bearer ${secret}' })`);
    expect(replay.calls[1]!.replayed).toMatchObject({ tool: 'bank.send', line: 1, input: { is: 'shown', value: { to: 'eve' } } });
    expect(JSON.stringify(replay)).not.toContain(secret);
  });

  test('can wait for a day, because its time is virtual', async () => {
    const run = await recorded();
    const code = `const began = Date.now(); await new Promise((resolve) => setTimeout(resolve, 86_400_000));
      await ${send('ada')}; return Date.now() - began >= 86_400_000`;
    expect(await bed.replay(run, code)).toMatchObject({ end: { kind: 'returned', output: { value: true } } });
  });

  test('reads large answers in the recorded order or in another order', async () => {
    const statement = (index: number) => `svc.bank.statement({ tag: '${place.tag}', bytes: ${800_000 + index} })`;
    const lengths = (order: number[]) =>
      `const read = []; ${order.map((n) => `read.push((await ${statement(n)}).text.length);`).join('')} return read`;
    const { run } = await bed.record(place, lengths([0, 2, 4, 6]));
    expect(run.result!.output).toEqual([800_000, 800_002, 800_004, 800_006]);
    for (const order of [
      [0, 2, 4, 6],
      [6, 0, 4, 2],
    ]) {
      const { end } = await bed.replay(run, lengths(order));
      expect(end).toMatchObject({ output: { value: order.map((index) => 800_000 + index) } });
    }
  });
});

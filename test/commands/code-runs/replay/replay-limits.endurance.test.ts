import { CODE_RUN } from '../../../../domain/limits.ts';
import type { Place } from '../gated-world.ts';
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

const send = (to: string) => `svc.bank.send({ tag: '${place.tag}', to: '${to}' })`;
const effects = () => place.books.effects.length;

describe('hostile code', () => {
  test.each<[string, () => string, object]>([
    ['takes all memory', () => "const all = []; while (true) all.push('x'.repeat(1e6).split(''))", { code: 'CODE_MEMORY' }],
    ['calls without end', () => `while (true) void ${send('eve')}.catch(() => {})`, { code: 'CODE_CALL_LIMIT' }],
    ['sets timers without end', () => 'setInterval(() => {}, 1000); await new Promise(() => {})', { code: 'CODE_TIMER_LIMIT' }],
    ['returns too much', () => `return 'x'.repeat(${CODE_RUN.outputMaxBytes + 1})`, { code: 'CODE_OUTPUT_TOO_LARGE' }],
    ['has a syntax error', () => 'return (', { code: 'CODE_SYNTAX_ERROR' }],
    ['reaches for the network', () => "await fetch('https://example.com')", { code: 'CODE_NOT_AVAILABLE' }],
    ['names an action that the MCP server does not offer', () => 'await svc.bank.rob({})', { code: 'ACTION_NOT_FOUND' }],
  ])('that %s fails without an effect', async (_, code, error) => {
    const { run } = await bed.record(place, `await ${send('ada')}; return 1`);
    const before = effects();
    expect((await bed.replay(run, code())).end).toMatchObject({ kind: 'failed', error });
    expect(effects()).toBe(before);
  });

  test('with an endless loop ends at its time limit', async () => {
    const { run } = await bed.record(place, 'return 1');
    const { end } = await bed.replay(run, 'while (true) {}', { limitSeconds: 1 });
    expect(end).toMatchObject({ kind: 'failed', error: { code: 'CODE_TIMEOUT' } });
  });

  test('gets each recorded answer once, and no answer of another run', async () => {
    const { run } = await bed.record(place, `return (await ${send('ada')}).effect`);
    await bed.record(place, `return (await ${send('bob')}).effect`);
    expect(rowsOf(await bed.replay(run, `await ${send('ada')}; await ${send('bob')}`))).toEqual([...same(1), ['added', null, false]]);
    expect(rowsOf(await bed.replay(run, `await ${send('ada')}; await ${send('ada')}`))).toEqual([...same(1), ['added', null, false]]);
  });

  test('stops when its caller disconnects', async () => {
    const { run } = await bed.record(place, 'return 1');
    const gone = new AbortController();
    const replay = bed.replay(run, 'console.log(1); while (true) {}', { signal: gone.signal });
    gone.abort(new Error('gone'));
    // The replay is canceled while it waits for a slot, or while it runs.
    const ended = replay.then(
      ({ end }) => end.kind === 'failed' && end.error.code,
      (error) => error.message,
    );
    expect(['CODE_CANCELED', 'gone']).toContain(await ended);
  });
});

describe('if a replay is impossible, the error says why', () => {
  const change = (id: string, columns: object) => bed.gateway.db('code_runs').where({ id }).update(columns);

  test.each<[string, (id: string) => Promise<unknown>, RegExp]>([
    ['unfinished', (id) => change(id, { status: 'running', finished_at: null }), /has not ended/],
    ['never ran', (id) => change(id, { pass_number: 0 }), /never ran/],
    ['of another version', (id) => change(id, { replay_version: 0 }), /Another version/],
    ['older than the retention period', (id) => change(id, { finished_at: new Date(Date.now() - 90_000_000) }), /retention period is over/],
    ['without its result', (id) => change(id, { result_deleted_at: new Date() }), /retention period is over/],
  ])('a run: %s', async (_, become, why) => {
    const { run } = await bed.record(place, `await ${send('ada')}; return 1`);
    await become(run.id);
    await expect(bed.replay(await bed.read(run.id), 'return 1')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(why),
    });
    expect(await bed.gateway.db('activity').where({ code_run_id: run.id, type: 'code_run.replayed' })).toEqual([]);
  });

  test.each([
    ['without text', ' \n'],
    ['that is too large', `return 1;${' '.repeat(CODE_RUN.codeMaxBytes)}`],
  ])('a program %s', async (_, code) => {
    const { run } = await bed.record(place, 'return 1');
    await expect(bed.replay(run, code)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

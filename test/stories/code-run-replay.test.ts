import { CODE_RUN } from '../../domain/limits.ts';
import { decodePayload, encodePayload } from '../../store/payload.ts';
import { aCodeServer, type CodeServer, openBehind } from '../support/code-runs.ts';
import { aReceiver, type Receiver } from '../support/receiver.ts';
import { aPolicy, aTenant, type Tenant } from '../support/tenant.ts';

let behind: Awaited<ReturnType<typeof openBehind>>;
let tenant: Tenant;
let upstream: Receiver;
let server: CodeServer;

beforeAll(async () => {
  behind = await openBehind();
});
afterAll(() => behind.close());
beforeEach(async () => {
  [tenant, upstream] = await Promise.all([aTenant(), aReceiver()]);
  server = await aCodeServer(tenant, ['http', 'hash-encode', 'kv-store']);
  await aPolicy(tenant, { integrationNames: ['kv-store'], actionNames: ['put'] });
});
afterEach(() => upstream.close());

/** No plan predicts the call in `gate`, because the name of the action is computed. */
const GATE = `const name = (await svc.hash_encode.decode({ encoded: 'cHV0', encoding: 'base64' })).text;
  const gate = (key) => svc.kv_store[name]({ key, value: 1 });
  const seen = (value) => svc.hash_encode.hash({ text: JSON.stringify(value) });
  const sleep = (ms) => new Promise((done) => setTimeout(done, ms));`;

async function runThrough(code: string, betweenPasses: (runId: string) => Promise<unknown> = async () => {}) {
  let answer = await server.execute({ code });
  let gates = 0;
  while (answer.structuredContent.status === 'approval_required') {
    gates += 1;
    await betweenPasses(await server.lastRunId());
    const { id } = answer.structuredContent.approval;
    await server.approve(id);
    answer = await server.execute({ approvalId: id });
  }
  return { ...answer, gates };
}

const executed = (output: unknown, gates = 1) => ({ gates, structuredContent: { status: 'executed', output } });

// Most programs send their values as the input of a call before a gate. A replay with other values
// ends as CODE_DIVERGED.
test.each([
  [
    'clock, random values and ids',
    `const read = () => [Date.now(), new Date().toISOString(), Date(), performance.now(), Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(8))]];
     const before = read(); await seen(before); await sleep(3); await seen(read()); await gate('a'); await seen(read()); await gate('b'); return before.length`,
    7,
    2,
  ],
  [
    'Promise.all with a gate among its calls',
    `return (await Promise.all([1, 2, 3].map(async (n) => { const { status } = await post(n); await seen([n, status, Math.random()]); if (n === 2) await gate('a'); return n * 2 })))`,
    [2, 4, 6],
    1,
  ],
  [
    'Promise.race and Promise.any with the same winners',
    `const first = await Promise.race([post('slow').then(() => 'slow'), post('fast').then(() => 'fast')]);
     const any = await Promise.any([svc.hash_encode.decode({ encoded: '%%', encoding: 'url' }), post('fast').then(() => 'fast')]);
     await seen([first, any]); await gate('a'); return [first, any]`,
    ['fast', 'fast'],
    1,
  ],
  [
    'Promise.allSettled with failures',
    `const all = await Promise.allSettled([post('fail'), gate('a'), svc.hash_encode.decode({ encoded: '%%', encoding: 'url' })]); return all.map(({ status }) => status)`,
    ['rejected', 'fulfilled', 'rejected'],
    1,
  ],
  [
    'a loop with retries and back-off around the gate',
    `let tries = 0; for (;;) { try { tries += 1; if (tries < 3) await svc.hash_encode.decode({ encoded: '%%', encoding: 'url' }); await gate('a'); break } catch (error) { await seen([tries, error.code, Date.now()]); await sleep(2 ** tries) } } return tries`,
    3,
    1,
  ],
  [
    'timers in due order, cleared timers and intervals',
    `const order = []; const at = (ms, name) => setTimeout(() => order.push(name), ms);
     at(20, 'd'); at(0, 'a'); at(0, 'b'); at(8, 'c'); clearTimeout(at(4, 'never')); let beats = 0; const id = setInterval(() => { beats += 1; if (beats === 3) clearInterval(id) }, 1);
     await sleep(40); await seen([order, beats, Date.now()]); await gate('a'); at(0, 'e'); await sleep(5); return [order.join(''), beats]`,
    ['abcde', 3],
    1,
  ],
])('%s: the values are the same after a pause', async (_what, program, output, gates) => {
  upstream.answerWith(async ({ path }) => {
    if (path === '/slow') await upstream.has(3);
    return { status: path === '/fail' ? 500 : 200 };
  });
  const post = `const post = (name) => svc.http.send_request({ method: 'POST', url: '${upstream.url}/' + name });`;
  let before = 0;
  const answer = await runThrough(`${GATE}\n${post}\nconsole.log('begins'); ${program}`, async () => {
    before = upstream.received.length;
  });
  expect(answer).toMatchObject(executed(output, gates));
  expect(answer.structuredContent.logs).toHaveLength(1);
  expect(upstream.received).toHaveLength(before);
});

test('a timer does not advance while an approval is pending', async () => {
  const code = `${GATE}\nreturn Promise.race([gate('a').then(() => 'approved'), sleep(20_000).then(() => 'timed out')])`;
  const answer = await runThrough(code, (id) =>
    behind
      .db('code_run_timers')
      .where({ code_run_id: id })
      .update({ due_at: behind.db.raw("now() - interval '2 days'") }),
  );
  expect(answer).toMatchObject(executed('approved'));
});

test(`a run of ${CODE_RUN.maxCalls} calls can pause and repeats no call, but one more call fails`, async () => {
  const calls = (count: number) => `${GATE}
    for (let n = 0; n < ${count - 3}; n += 1) {
      if (n === 100) await gate('middle');
      else if (n % 50 === 0) await svc.http.send_request({ method: 'POST', url: '${upstream.url}/' + n });
      else await seen([n, Math.random()]);
    }
    await gate('last but one'); await gate('last'); return 'all'`;
  const answer = await runThrough(calls(CODE_RUN.maxCalls));
  expect(answer).toMatchObject(executed('all', 3));
  expect(answer.structuredContent.actionsExecuted).toBe(CODE_RUN.maxCalls);
  expect(upstream.received.map(({ path }) => path)).toEqual(['/0', '/50', '/150']);
  const more = await runThrough(`${calls(CODE_RUN.maxCalls).replace("return 'all'", "await seen('one more')")}`);
  expect(more).toMatchObject({ isError: true, structuredContent: { status: 'failed', error: { code: 'CODE_CALL_LIMIT' } } });
});

describe('the replayed code is compared with the record of its calls and timers', () => {
  const CODE = `${GATE}
    await seen('a');
    await sleep(2);
    await seen('b');
    await gate('k');
    return 'done';`;
  /** Numbers of calls and timers in the record. */
  const [DECODE, TIMER, B] = [0, 2, 3] as const;
  const place = (code_run_id: string, call_number: number) => behind.db('calls').where({ code_run_id, call_number });
  const timerAt = (code_run_id: string, number: number) => behind.db('code_run_timers').where({ code_run_id, number });
  const rewrite = async (id: string, from: string, to: string) => {
    const { code } = await behind.db('code_runs').where({ id }).first('code');
    const altered = decodePayload<string>(code).replace(from, to);
    expect(altered).not.toBe(CODE);
    await behind
      .db('code_runs')
      .where({ id })
      .update({ code: encodePayload(altered) });
  };

  test('a matching replay continues the run', async () => {
    expect(await runThrough(CODE)).toMatchObject(executed('done'));
  });

  test.each<[string, (id: string) => Promise<unknown>, RegExp]>([
    [
      'the record has another call at this number',
      (id) => place(id, B).update({ request_hash: 'of another' }),
      /call 4 \(hash-encode\.hash\) differs/,
    ],
    [
      'the record has a timer instead of a call',
      async (id) => {
        const [row] = await place(id, B).delete().returning('completion_number');
        const timer = { code_run_id: id, number: B, delay_ms: 2, due_at: new Date(), due_ms: 2, completed_at: new Date() };
        await behind.db('code_run_timers').insert({ ...timer, completion_number: row.completion_number });
      },
      /call 4 .*differs from the record, which has a timer/,
    ],
    [
      'the record has a call instead of a timer',
      async (id) => {
        const [{ completion_number }] = await timerAt(id, TIMER).delete().returning('completion_number');
        await place(id, B).update({ call_number: TIMER, completion_number });
      },
      /a timer of 2 ms differs from the record, which has call 3/,
    ],
    ['the recorded timer has another delay', (id) => timerAt(id, TIMER).update({ delay_ms: 9 }), /a timer of 2 ms differs .* of 9 ms/],
    [
      'an answer is recorded before its request',
      (id) =>
        place(id, B)
          .update({ completion_number: 1 })
          .then(() => place(id, DECODE).update({ completion_number: 4 })),
      /did not repeat a request/,
    ],
    ['the code makes a call with another input', (id) => rewrite(id, "seen('a')", "seen('A')"), /call 2 .*differs/],
    ['the code makes one call less, and ends', (id) => rewrite(id, "await gate('k');", ''), /call 5 \(kv-store\.put\) was not made again/],
    ['the code ends before its first call', (id) => rewrite(id, 'const name', 'return 1; const name'), /call 1 .*was not made again/],
    [
      'the code throws before its last recorded call',
      (id) => rewrite(id, "await gate('k');", "throw new Error('x');"),
      /call 5 .*was not made again/,
    ],
    ['the code makes one call more', (id) => rewrite(id, "await seen('b');", "seen('c'); await seen('b');"), /call 4 .*differs/],
    [
      'a called action is not offered any more',
      async () => {
        const { integrations } = await tenant.api.must(200).get(`/api/v1/workspaces/${tenant.workspaceId}/integrations`);
        const { id } = integrations.find(({ alias }: { alias: string }) => alias === 'hash-encode');
        await tenant.api.must(200).delete(`/api/v1/workspaces/${tenant.workspaceId}/integrations/${id}`);
      },
      /call 1 \(hash-encode\.decode\) cannot be called any more/,
    ],
    ['the record has another replay version', (id) => behind.db('code_runs').where({ id }).update({ replay_version: 0 }), /updated/],
  ])('the run ends as CODE_DIVERGED, and no more calls run, if %s', async (_what, alter, message) => {
    const calls = async () =>
      (
        await behind
          .db('calls')
          .where({ code_run_id: await server.lastRunId() })
          .whereIn('status', ['succeeded', 'failed'])
          .pluck('call_number')
      ).sort();
    let before: number[] = [];
    const answer = await runThrough(CODE, async (id) => {
      await alter(id);
      before = await calls();
    });
    expect(answer).toMatchObject({
      isError: true,
      structuredContent: { status: 'failed', error: { code: 'CODE_DIVERGED', message: expect.stringMatching(message) } },
    });
    expect(await calls()).toEqual(before);
  });

  test('a run without recorded calls continues under a new replay version', async () => {
    const code = "return (await svc.kv_store.put({ key: 'k', value: 1 })).stored";
    const answer = await runThrough(code, (id) => behind.db('code_runs').where({ id }).update({ replay_version: 0 }));
    expect(answer).toMatchObject(executed(true));
  });
});

test('the workflow history has no text of the program, and Postgres stores large payloads compressed', async () => {
  const secret = 'wombat';
  const code = `${GATE}\n// ${secret}\nconsole.log('${secret}'); const { digest } = await seen('${secret}'.repeat(20_000)); await gate('${secret}');
    return '${secret}'.repeat(20_000) + digest`;
  await runThrough(code);
  const id = await server.lastRunId();
  const { events } = await behind.temporal.workflow.getHandle(`code-run/${id}`).fetchHistory();
  const history = JSON.stringify(events, (_key, value) => (value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value));
  expect(history).toContain(id);
  expect(history).not.toContain(secret);
  const { result } = await behind.db('code_runs').where({ id }).first('result');
  const small = await behind.db('calls').where({ code_run_id: id, call_number: 0 }).first('outcome');
  expect([result.length < 4096, result[0], small.outcome[0]]).toEqual([true, 1, 0]);
});

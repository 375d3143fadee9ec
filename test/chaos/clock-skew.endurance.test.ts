import { randomInt, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { extent } from '../support/extent.ts';
import { workflowBundlePath } from '../support/system.ts';
import { ask, type Case, decide, make } from './cases.ts';
import { findBroken } from './invariants.ts';
import { callOf, type Manner, openScene, type Scene } from './scene.ts';

const HOUR_MS = 3_600_000;
const TIMEOUT_MS = 200_000;

const SKEWS: [what: string, clockShiftMs: { api: number; worker: number }][] = [
  ['the API an hour ahead, the worker an hour behind', { api: HOUR_MS, worker: -HOUR_MS }],
  ['the API an hour behind, the worker an hour ahead', { api: -HOUR_MS, worker: HOUR_MS }],
];
const TRIED = extent({ whole: SKEWS, sample: [SKEWS[randomInt(SKEWS.length)]!] });

describe.each(TRIED)('processes with wrong clocks: %s', (_, clockShiftMs) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene({ bundle: await workflowBundlePath(), clockShiftMs });
  }, TIMEOUT_MS);
  afterAll(() => scene?.close(), TIMEOUT_MS);

  test.each(['api', 'worker'] as const)('the log of the %s shows the wrong time', (name) => {
    const [line] = readFileSync(join(scene.system.dataDir, 'logs', `${name}.log`), 'utf8').split('\n');
    expect(Math.abs(new Date(JSON.parse(line!).time).getTime() - Date.now() - clockShiftMs[name])).toBeLessThan(10 * 60_000);
  });

  const newCase = (manner: Manner): Case => ({ name: randomUUID(), manner, title: manner });

  test('approvals are decided, consumed and expired at the right time, and every notification arrives', async () => {
    const [approved, rejected, waits] = [newCase('ask'), newCase('ask'), newCase('ask')];
    const alone = (['expires soon', 'rejects soon'] as const).map(newCase);
    const notified = newCase('notify');
    await Promise.all([approved, rejected, waits, ...alone].map((one) => ask(scene, one)));
    await Promise.all([decide(scene, approved, 'approve'), decide(scene, rejected, 'reject')]);
    await Promise.all([make(scene, approved), make(scene, notified)]);
    expect(await findBroken(scene, [approved, rejected, notified, ...alone])).toEqual([]);
    expect(await scene.workflows.statusOf(waits.approvalId!)).toBe('RUNNING');
    // A short history: the workflow started, asked for the remaining time once, and waits.
    expect(await scene.workflows.historyLengthOf(waits.approvalId!)).toBeLessThan(30);
    expect((await scene.caller.get(`/api/v1/approvals/${waits.approvalId}`)).body.approval.status).toBe('pending');
  });

  test('the signature of a webhook contains the right time', async () => {
    expect(scene.world.delivered.length).toBeGreaterThan(0);
    for (const { headers, cameAt } of scene.world.delivered) {
      for (const name of ['x-svc-timestamp', 'webhook-timestamp'])
        expect(Math.abs(Number(headers[name]) * 1000 - cameAt)).toBeLessThan(60_000);
    }
  });

  test('a repeated request waits for the call in flight and gets its outcome', async () => {
    const one = newCase('ask');
    await ask(scene, one);
    await decide(scene, one, 'approve');
    const answered = Promise.withResolvers<void>();
    scene.world.answerAfter(answered.promise);
    const [first, again] = [make(scene, one), { ...one }];
    while (scene.world.effectsOf(one.name) === 0) await delay(5);
    const second = make(scene, again);
    await delay(200); // a process that trusts its shifted clock considers the call timed out
    answered.resolve();
    await Promise.all([first, second]);
    expect([one.outcome, again.outcome, scene.world.effectsOf(one.name)]).toEqual(['ran', 'ran', 1]);
  });

  test('without an idempotency key, a repeated call needs a new approval', async () => {
    const { idempotencyKey: _, ...call } = callOf(scene, 'ask', randomUUID());
    const send = () => scene.caller.post('/api/v1/actions/execute', call);
    const { approval } = (await send()).body;
    await scene.caller.post(`/api/v1/approvals/${approval.id}/approve`, {});
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toContain(200);
    expect(statuses.filter((status) => status !== 200 && status !== 202)).toEqual([]);
    const anew = await send();
    expect(anew.status).toBe(202);
    expect(anew.body.approval.id).not.toBe(approval.id);
  });
});

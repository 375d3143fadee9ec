import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { workflowBundlePath } from '../support/system.ts';
import { ask, type Case, decide, make } from './cases.ts';
import { findBroken } from './invariants.ts';
import { callOf, type Manner, openScene, type Scene } from './scene.ts';

const HOUR_MS = 3_600_000;
const TIMEOUT_MS = 200_000;

describe.each([
  ['the API an hour ahead, the worker an hour behind', { api: HOUR_MS, worker: -HOUR_MS }],
  ['the API an hour behind, the worker an hour ahead', { api: -HOUR_MS, worker: HOUR_MS }],
])('the clocks of the processes are wrong: %s', (_, clockShiftMs) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene({ bundle: await workflowBundlePath(), clockShiftMs });
  }, TIMEOUT_MS);
  afterAll(() => scene?.close(), TIMEOUT_MS);

  test.each(['api', 'worker'] as const)('which is so: the %s writes its log with the wrong time', (name) => {
    const [line] = readFileSync(join(scene.system.dataDir, 'logs', `${name}.log`), 'utf8').split('\n');
    expect(Math.abs(new Date(JSON.parse(line!).time).getTime() - Date.now() - clockShiftMs[name])).toBeLessThan(10 * 60_000);
  });

  const newCase = (manner: Manner): Case => ({ name: randomUUID(), manner, story: manner });

  test('calls are decided, made and told of, and run out of time, as by the right one', async () => {
    const [approved, rejected, waits] = [newCase('ask'), newCase('ask'), newCase('ask')];
    const alone = (['expires soon', 'rejects soon'] as const).map(newCase);
    const notified = newCase('notify');
    await Promise.all([approved, rejected, waits, ...alone].map((one) => ask(scene, one)));
    await Promise.all([decide(scene, approved, 'approve'), decide(scene, rejected, 'reject')]);
    await Promise.all([make(scene, approved), make(scene, notified)]);
    expect(await findBroken(scene, [approved, rejected, notified, ...alone])).toEqual([]);
    expect(await scene.workflows.statusOf(waits.approvalId!)).toBe('RUNNING');
    // Started, asked how long there is, and waits.
    expect(await scene.workflows.historyLengthOf(waits.approvalId!)).toBeLessThan(30);
    expect((await scene.caller.get(`/api/v1/approvals/${waits.approvalId}`)).body.approval.status).toBe('pending');
  }, 120_000);

  test('webhooks are signed with the right time, which receivers check', async () => {
    expect(scene.world.delivered.length).toBeGreaterThan(0);
    for (const { headers, cameAt } of scene.world.delivered) {
      for (const name of ['x-svc-timestamp', 'webhook-timestamp'])
        expect(Math.abs(Number(headers[name]) * 1000 - cameAt)).toBeLessThan(60_000);
    }
  });

  test('a repeat waits for a call that is being made, and gets its outcome', async () => {
    const one = newCase('ask');
    await ask(scene, one);
    await decide(scene, one, 'approve');
    const answered = Promise.withResolvers<void>();
    scene.world.answerAfter(answered.promise);
    const [first, again] = [make(scene, one), { ...one }];
    while (scene.world.effectsOf(one.name) === 0) await delay(5);
    const second = make(scene, again);
    await delay(200); // long enough for a wrong clock to give it up
    answered.resolve();
    await Promise.all([first, second]);
    expect([one.outcome, again.outcome, scene.world.effectsOf(one.name)]).toEqual(['ran', 'ran', 1]);
  }, 120_000);

  test('without a key, the same call after the approved one asks anew', async () => {
    const { idempotencyKey: _, ...call } = callOf(scene, 'ask', randomUUID());
    const send = () => scene.caller.post('/api/v1/actions/execute', call);
    const { approval } = (await send()).body;
    await scene.caller.post(`/api/v1/approvals/${approval.id}/approve`, {});
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    // Those that come when the approval is used up, and its outcome not known yet, ask anew: without a key they are calls of their own.
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toContain(200);
    expect(statuses.filter((status) => status !== 200 && status !== 202)).toEqual([]);
    const anew = await send();
    expect(anew.status).toBe(202);
    expect(anew.body.approval.id).not.toBe(approval.id);
  }, 120_000);
});

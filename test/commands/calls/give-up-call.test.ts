import { randomUUID } from 'node:crypto';
import { giveUpAbandonedCalls } from '../../../commands/calls/give-up-call.ts';
import { findCallByKey, finishCall } from '../../../store/calls.ts';
import { type ApiBed, openApiBed } from '../../api/api-bed.ts';

const SOMEBODY_ELSE = 4711;

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed?.close());

const send = (idempotencyKey: string) =>
  bed.api.post('/api/v1/actions/execute', {
    integrationName: 'datetime',
    actionName: 'parse_date',
    workspaceId: bed.workspaceId,
    input: { dateString: '2026-01-01' },
    idempotencyKey,
  });
const recordOf = async (key: string) => (await findCallByKey(bed.gateway.db, bed.workspaceId, key))!;

/** Another process began the call 70 seconds ago. The deadline has not passed. */
async function aCallOfSomebodyElse(): Promise<string> {
  const key = randomUUID();
  await send(key);
  const { patient: db } = bed;
  await db('calls')
    .where({ id: (await recordOf(key)).id })
    .update({
      ...{ status: 'executing', outcome: null, finished_at: null, process_lock: SOMEBODY_ELSE },
      started_at: db.raw("now() - interval '70 seconds'"),
    });
  return key;
}

const activityOf = (id: string) => bed.patient('activity').where({ call_id: id }).pluck('type');

test('a call whose process is gone becomes unknown before its deadline', async () => {
  const key = await aCallOfSomebodyElse();
  const answer = await send(key);
  const { id, status, startedAt } = await recordOf(key);
  expect(answer).toMatchObject({ status: 409, body: { code: 'EXECUTION_OUTCOME_UNKNOWN', details: { callId: id } } });
  expect(status).toBe('unknown');
  expect(Date.now() - startedAt.getTime()).toBeLessThan(120_000);
  expect(await activityOf(id)).toEqual(['call.outcome_unknown']);
  expect((await send(key)).body.code).toBe('EXECUTION_OUTCOME_UNKNOWN');
  expect(await activityOf(id)).toHaveLength(1);
});

test('an outcome that is recorded late replaces the unknown outcome', async () => {
  const key = await aCallOfSomebodyElse();
  expect((await send(key)).status).toBe(409);
  await finishCall(bed.gateway.db, (await recordOf(key)).id, { ok: true, output: 'late' });
  expect(await send(key)).toMatchObject({ status: 200, body: { output: 'late' } });
});

test('a repeated request waits only while the process of the call lives', async () => {
  const key = await aCallOfSomebodyElse();
  const { id } = await recordOf(key);
  const answer = await bed.patient.transaction(async (tx) => {
    await tx.raw('select pg_advisory_xact_lock(?)', [SOMEBODY_ELSE]);
    expect(await giveUpAbandonedCalls(bed.gateway, 10)).toBe(0);
    const repeated = send(key);
    await new Promise((resolve) => setTimeout(resolve, 4000));
    await finishCall(bed.gateway.db, id, { ok: true, output: 'done' });
    return repeated;
  });
  expect(answer).toMatchObject({ status: 200, body: { output: 'done' } });

  const forgotten = await recordOf(await aCallOfSomebodyElse());
  expect(await giveUpAbandonedCalls(bed.gateway, 10)).toBe(1);
  expect(await activityOf(forgotten.id)).toEqual(['call.outcome_unknown']);
});

import { reconcile } from '../../../commands/outbox/reconcile.ts';
import { resendOutbox } from '../../../commands/outbox/resend-outbox.ts';
import { type ApiBed, openApiBed } from '../../api/api-bed.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed.close());

const ask = async (text: string): Promise<string> => {
  const { approval } = await bed.api.must(202).post('/api/v1/actions/execute', {
    ...{ workspaceId: bed.workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text } },
  });
  return approval.id;
};
const ago = (seconds: number) => bed.patient.raw(`now() - ? * interval '1 second'`, [seconds]);
const entriesOf = (id: string) => bed.patient('outbox').where({ approval_id: id }).orderBy('id').pluck('kind');

// Temporal does not run in this bed.
test('while Temporal is unreachable, overdue approvals still expire, and the outbox keeps its entries', async () => {
  await bed.api.must(200).post('/api/v1/approval-policies', { name: 'Ask first', defaultOnTimeout: 'expire' });
  const [waiting, overdue] = [await ask('waiting'), await ask('overdue')];
  await bed.patient('outbox').update({ created_at: ago(60) });
  await bed
    .patient('approvals')
    .where({ id: overdue })
    .update({ expires_at: ago(120) });

  await reconcile(bed.gateway);
  const { approval } = await bed.api.must(200).get(`/api/v1/approvals/${overdue}`);
  expect(approval).toMatchObject({ status: 'expired', decidedByType: 'timeout' });
  expect(await entriesOf(waiting)).toEqual(['approval-requested']);
  expect(await entriesOf(overdue)).toEqual(['approval-settled']);
});

test('entries that Temporal refuses do not hold up the entries after them', async () => {
  await bed.patient('outbox').delete();
  const approvalId = (await bed.patient('approvals').first('id')).id;
  const entries = Array.from({ length: 61 }, () => ({ kind: 'approval-settled', approval_id: approvalId, created_at: ago(60) }));
  await bed.patient('outbox').insert(entries);
  let tries = 0;
  const signalSettled = async () => {
    tries += 1;
    if (tries <= 60) throw new Error('exceeded workflow execution limit for signal events');
  };
  const orchestrator = Object.assign(Object.create(bed.gateway.orchestrator), { signalSettled });
  await resendOutbox({ ...bed.gateway, orchestrator });
  expect(tries).toBe(61);
  expect(await bed.patient('outbox').pluck('id')).toHaveLength(60);
});

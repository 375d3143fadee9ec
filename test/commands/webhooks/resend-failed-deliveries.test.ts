import { resendFailedDeliveries } from '../../../commands/webhooks/resend-failed-deliveries.ts';
import { aReceiver } from '../../support/receiver.ts';
import { openDeliveryBed } from './delivery-bed.ts';

test('each resent delivery arrives once, signed, as a second attempt', async () => {
  const [bed, receiver] = [await openDeliveryBed(), await aReceiver()];
  try {
    const { policy } = await bed.aPolicy([`${receiver.url}/hook`]);
    receiver.answerWith(() => ({ status: 500 }));
    const approvals = [await bed.anApproval(policy), await bed.anApproval(policy)];
    for (const approval of approvals) await bed.until(approval, ([delivery]) => delivery?.status === 'retrying');
    await bed.gateway.db('webhook_deliveries').update({ status: 'failed', next_attempt_at: null });
    const before = receiver.received.length;

    receiver.answerWith(() => ({ status: 200 }));
    const since = new Date(Date.now() - 3_600_000);
    const asked = () => resendFailedDeliveries(bed.gateway, bed.principal, { since, workspaceId: undefined });
    expect(await Promise.all([asked(), asked()])).toEqual(expect.arrayContaining([expect.objectContaining({ isAll: true })]));
    for (const approval of approvals) {
      const [delivery] = await bed.until(approval, ([one]) => one?.status === 'success');
      expect(delivery).toMatchObject({ attempt: 2, httpStatus: 200 });
    }
    const sent = receiver.received.slice(before);
    expect(sent.map(({ headers }) => headers['x-svc-attempt'])).toEqual(['2', '2']);
    expect(new Set(sent.map(({ headers }) => headers['x-svc-delivery'])).size).toBe(2);
    expect(sent.every(({ headers }) => /^t=\d+,v1=[0-9a-f]{64}/.test(String(headers['x-svc-signature'])))).toBe(true);
    const rows = await bed.gateway.db('activity').where({ type: 'webhook.redelivery_asked' });
    expect(rows).toHaveLength(2);
  } finally {
    await bed.close();
    await receiver.close();
  }
});

test('a key without the decision scope cannot resend deliveries', async () => {
  const bed = await openDeliveryBed();
  try {
    const asked = resendFailedDeliveries(
      bed.gateway,
      { ...bed.principal, mayDecide: false },
      { since: new Date(0), workspaceId: undefined },
    );
    await expect(asked).rejects.toMatchObject({ code: 'APPROVAL_DECISION_SCOPE_REQUIRED' });
  } finally {
    await bed.close();
  }
});

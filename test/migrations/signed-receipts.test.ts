import { verifyReceipt } from '../../commands/approvals/verify-receipt.ts';
import { down, up } from '../../migrations/0012_signed_receipts.ts';
import { openApiBed } from '../api/api-bed.ts';
import { callerOf } from '../support/caller.ts';

test('pending approvals get a valid receipt, and older receipts stay unsigned', async () => {
  const bed = await openApiBed();
  const { api, workspaceId, patient } = bed;
  await api.must(200).post('/api/v1/approval-policies', { name: 'Ask first' });
  const account = { integrationName: 'mail', type: 'SECRET_TEXT', secretText: 'one', externalId: 'ours', workspaceId, scope: 'WORKSPACE' };
  const { connection } = await api.must(201).post('/api/v1/connections', account);
  await patient('connections').where({ id: connection.id }).update({ credentials_version: 4 });
  const ask = async (to: string) => {
    const call = { workspaceId, integrationName: 'mail', actionName: 'send', input: { to } };
    return (await api.must(202).post('/api/v1/actions/execute', call)).approval.id;
  };
  const [decided, pending] = [await ask('one'), await ask('two')];

  await down(patient);
  await patient('approvals')
    .where({ id: decided })
    .update({ status: 'approved', decided_by_type: 'api_key', decided_at: patient.fn.now() });
  const unsigned = { org_id: bed.orgId, approval_id: decided, input_hash: 'hash', expires_at: patient.raw("now() + interval '1 hour'") };
  await patient('receipts').insert(unsigned);
  await up(patient);

  expect((await api.must(404).get(`/api/v1/approvals/${decided}/receipt`)).error).toMatch(/approved by an earlier version/);
  await api.must(200).post(`/api/v1/approvals/${pending}/approve`);
  const { receipt } = await api.must(200).get(`/api/v1/approvals/${pending}/receipt`);
  expect(receipt.claims).toMatchObject({ connectionId: connection.id, connectionVersion: 4 });
  const jwks = await callerOf(bed.apiUrl).must(200).get('/.well-known/jwks.json');
  await verifyReceipt({ jws: receipt.jws, jwks, input: Buffer.from('{"to":"two"}') });
  await bed.close();
});

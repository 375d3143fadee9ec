import { down, up } from '../../migrations/0068_approval_counts.ts';
import { openApiBed } from '../api/api-bed.ts';

test('approvals from before and after the migration are counted', async () => {
  const bed = await openApiBed();
  await bed.api.must(200).post('/api/v1/approval-policies', { name: 'Hashes', actionNames: ['hash'], riskMode: 'always' });
  const ask = async (text: string) => {
    const call = { workspaceId: bed.workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text } };
    return (await bed.api.must(202).post('/api/v1/actions/execute', call)).approval.id as string;
  };
  const total = async (status: string) => (await bed.api.must(200).get(`/api/v1/approvals?status=${status}`)).total;
  await down(bed.patient);
  const [first] = [await ask('1'), await ask('2')];
  await up(bed.patient);
  expect(await total('pending')).toBe(2);
  await ask('3');
  await bed.api.must(200).post(`/api/v1/approvals/${first}/reject`);
  expect([await total('pending'), await total('rejected')]).toEqual([2, 1]);
  await bed.close();
});

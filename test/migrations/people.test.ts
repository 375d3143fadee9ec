import { down, up } from '../../migrations/0015_people.ts';
import * as sessions from '../../migrations/0046_member_sessions.ts';
import { findApprovalById } from '../../store/approvals.ts';
import { openApiBed } from '../api/api-bed.ts';

test('older pending approvals get the approvers of their policy, if the policy is unchanged', async () => {
  const bed = await openApiBed();
  const ask = async (actionName: string, input: object) => {
    const approvers = [{ type: 'end_user' }, { type: 'webhook', webhookUrl: 'https://hooks.example.com/x' }];
    const policy = { name: actionName, integrationNames: ['datetime'], actionNames: [actionName], approvers };
    const { id: policyId } = (await bed.api.must(200).post('/api/v1/approval-policies', policy)).policy;
    const call = { integrationName: 'datetime', actionName, workspaceId: bed.workspaceId, input };
    return { policyId, id: (await bed.api.must(202).post('/api/v1/actions/execute', call)).approval.id };
  };
  const asked = await ask('parse_date', { dateString: '2026-01-01' });
  const changed = await ask('is_business_hours', {});
  await bed.api.must(200).patch(`/api/v1/approval-policies/${changed.policyId}`, { priority: 5 });
  const approversOf = async (id: string) => (await findApprovalById(bed.gateway.db, id))!.approvers;

  // Revert `sessions` first, because its table refers to memberships, which 0015 creates.
  await sessions.down(bed.patient);
  await down(bed.patient);
  await up(bed.patient);
  await sessions.up(bed.patient);
  expect(await approversOf(asked.id)).toEqual([{ type: 'end_user' }, { type: 'webhook' }]);
  expect(await approversOf(changed.id)).toEqual([]);
  await bed.close();
});

import { type ApiBed, openApiBed } from '../../api/api-bed.ts';
import { aPlace, typesOf } from './audit-place.ts';

let bed: ApiBed;
let keyId: string;
beforeAll(async () => {
  bed = await openApiBed();
  keyId = (await bed.api.must(200).get('/api/v1/api-keys')).apiKeys[0].id;
});
afterAll(() => bed.close());

describe('policies', () => {
  test('each change has a row with the complete new policy and its author', async () => {
    const place = await aPlace(bed, { actionNames: ['send'], rules: { amountThresholds: [{ path: 'amount', gte: 5 }] } });
    const path = `/api/v1/approval-policies/${place.policyId}`;
    await bed.api.must(200).patch(path, { decision: 'block', timeoutSeconds: 120 });
    await bed.api.must(200).delete(path);
    const rows = await bed.gateway.db('activity').where({ policy_id: place.policyId }).orderBy('id');
    expect(rows.map(({ type, policy_version, actor_id }) => [type, policy_version, actor_id])).toEqual([
      ['policy.created', 1, keyId],
      ['policy.updated', 2, keyId],
      ['policy.deleted', 2, keyId],
    ]);
    const [created, updated, deleted] = rows.map(({ details }) => details.policy);
    expect(created).toMatchObject({
      ...{ version: 1, name: 'Ask first', workspaceId: place.workspaceId, decision: 'require_approval', timeoutSeconds: 3600 },
      ...{ actionNames: ['send'], rules: { amountThresholds: [{ path: 'amount', gte: 5 }] } },
    });
    expect(updated).toEqual({ ...created, version: 2, decision: 'block', timeoutSeconds: 120 });
    expect(deleted).toEqual(updated);
  });

  test('secrets in a webhook address and in metadata are not stored', async () => {
    const webhookUrl = 'https://hooks.example.com/in?token=query-7&tenant=query-8';
    const place = await aPlace(bed, { approvers: [{ type: 'webhook', webhookUrl }], metadata: { team: 'billing', apiKey: 'meta-7' } });
    const [{ details }] = (await place.trail()) as [{ details: { policy: Record<string, unknown> } }];
    expect(details.policy.approvers).toEqual([
      { type: 'webhook', webhookUrl: 'https://hooks.example.com/in?token=[redacted]&tenant=[redacted]' },
    ]);
    expect(details.policy.metadata).toEqual({ team: 'billing', apiKey: '[redacted]' });
  });

  test('each policy that is deleted with its workspace has one row about its deletion', async () => {
    const place = await aPlace(bed);
    await bed.api.must(200).post('/api/v1/approval-policies', { name: 'Second', workspaceId: place.workspaceId });
    await bed.api.must(200).delete(`/api/v1/workspaces/${place.workspaceId}`);
    const deleted = (await place.trail()).filter(({ type }) => type === 'policy.deleted');
    expect(deleted.map(({ details, actorId }) => [details.policy.name, actorId]).sort()).toEqual([
      ['Ask first', keyId],
      ['Second', keyId],
    ]);
  });

  test('a refused change leaves no row', async () => {
    const place = await aPlace(bed);
    await bed.api.must(400).patch(`/api/v1/approval-policies/${place.policyId}`, { priority: -1 });
    expect(typesOf(await place.trail())).toEqual(['policy.created']);
  });
});

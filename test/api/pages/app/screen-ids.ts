import type { ApiBed } from '../../api-bed.ts';
import { anApproval, anApprovalOf } from '../page-bed.ts';
import { aRun } from '../page-records.ts';
import { aPlan, CODE } from '../page-states.ts';
import { type AppMember, aMember, pageBed } from './app-bed.ts';
import { connectedRecords } from './connected-records.ts';
import { aLongChange, aServerOfLongNames } from './long-names.ts';
import { aReplayableRun, aRunThatWaited } from './runs/run-records.ts';
import type { ScreenIds } from './screen-row.ts';

const HOSTILE = '<script>x</script>\u202Egnp.exe '.padEnd(180, 'w');
const NAME = HOSTILE.slice(0, 120);

const POLICIES = '/api/v1/approval-policies';

/** Creates the records that SCREEN_MATRIX uses, with hostile text. */
export async function screenIds(bed: ApiBed): Promise<ScreenIds> {
  const { api, workspaceId } = bed;
  const [target, owner] = [await aMember(bed, 'viewer', { name: HOSTILE }), await aMember(bed, 'owner')];
  const repeatedPolicyId = await aPolicyOfYeses(bed, owner);
  const invited = await api.must(201).post('/api/v1/members', { name: NAME, email: 'new@example.com', role: 'viewer' });
  const [finished, server] = [await aRunThatWaited(bed), await aServerOfLongNames(bed, HOSTILE)];
  const input = { method: 'POST', url: `https://example.com/${'long'.repeat(99)}`, note: HOSTILE };
  const [approval, decided] = [await anApprovalOf(pageBed(bed), input), await anApproval(pageBed(bed))];
  await owner.post(`/approvals/${decided.id}/decide`, { decision: 'approve', reason: HOSTILE });
  const app = { integrationName: 'gmail', clientId: 'id', clientSecret: 'secret', displayName: NAME };
  const connected = await connectedRecords(bed, `Ada ${HOSTILE}`.slice(0, 180));
  await bed.gateway.db('connections').where({ id: connected.connectionId }).update({ status: 'ERROR', status_reason: HOSTILE });
  return {
    ...{ memberId: target.id, ownerId: owner.id, invitedId: invited.member.id, workspaceId, connected, repeatedPolicyId },
    keyId: (await api.must(200).post('/api/v1/api-keys', { name: NAME })).apiKey.id,
    ...server,
    ...{ approvalId: approval.id, decidedId: decided.id, planId: (await aPlan(pageBed(bed), null, CODE)).id },
    ...{ runId: (await aRun(pageBed(bed), 'return 1')).id, finishedRunId: finished.id, replayableRunId: await aReplayableRun(bed) },
    policyId: await aPolicy(bed),
    changeId: await aLongChange(bed, HOSTILE),
    oauthAppId: (await api.must(201).post('/api/v1/oauth-apps', app)).oauthApp.id,
    ...(await aFailedDelivery(bed)),
  };
}

/** Creates a policy with 20 approvals in a row: its page offers a narrower policy. */
async function aPolicyOfYeses({ api, workspaceId }: ApiBed, owner: AppMember): Promise<string> {
  const { policy } = await api.must(200).post(POLICIES, { name: NAME, priority: 9, actionNames: ['hash'] });
  for (let i = 0; i < 20; i++) {
    const call = { workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text: `https://a.example/${i}` } };
    const { approval } = await api.must(202).post('/api/v1/actions/execute', call);
    await owner.post(`/approvals/${approval.id}/decide`, { decision: 'approve' });
  }
  return policy.id;
}

async function aPolicy({ api }: ApiBed): Promise<string> {
  await api.must(200).post(POLICIES, { name: 'Everything first', priority: 1, decision: 'notify_only' });
  const rules = { recipientDenylist: [HOSTILE], amountThresholds: [{ path: 'amount', gte: 500, currency: 'USD' }] };
  const { policy } = await api.must(200).post(POLICIES, { name: 'x', rules, mode: 'shadow', integrationNames: [HOSTILE] });
  await api.must(200).patch(`${POLICIES}/${policy.id}`, { name: NAME, mode: 'enforce', metadata: { note: HOSTILE } });
  return policy.id;
}

async function aFailedDelivery(bed: ApiBed): Promise<Pick<ScreenIds, 'deliveryId' | 'endpointId'>> {
  const webhookUrl = `https://hooks.example.com/${'long'.repeat(60)}`;
  const { policy } = await bed.api.must(200).post(POLICIES, {
    ...{ name: NAME, enabled: false, actionNames: ['no_such_action'], approvers: [{ type: 'webhook', webhookUrl }] },
  });
  const { id } = await anApproval(pageBed(bed), { policyId: policy.id, policyName: HOSTILE });
  const [row] = await bed
    .patient('webhook_deliveries')
    .where({ approval_id: id })
    .update({ status: 'failed', attempt: 10, next_attempt_at: null, http_status: 500, error_message: HOSTILE })
    .returning(['id', 'endpoint_id']);
  return { deliveryId: row.id, endpointId: row.endpoint_id };
}

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expireUnusedApproval } from '../../../commands/approvals/expire-unused-approval.ts';
import { timeOutApproval } from '../../../commands/approvals/time-out-approval.ts';
import { findUnrecorded } from '../../../commands/audit/find-unrecorded.ts';
import { type ApiBed, openApiBed } from '../../api/api-bed.ts';
import { aPlace, typesOf } from './audit-place.ts';

let bed: ApiBed;
let keyId: string;
beforeAll(async () => {
  bed = await openApiBed();
  keyId = (await bed.api.must(200).get('/api/v1/api-keys')).apiKeys[0].id;
});
afterAll(() => bed.close());

async function runOut(table: 'approvals' | 'receipts', where: object): Promise<void> {
  const past = bed.gateway.db.raw("now() - interval '1 second'");
  await bed.gateway.db(table).where(where).update({ expires_at: past });
}

const WAYS: [string, string, string[], (place: Awaited<ReturnType<typeof aPlace>>, id: string) => Promise<unknown>][] = [
  ['waits', 'pending', [], async () => {}],
  ['is approved', 'approved', ['approval.approved'], (place, id) => place.decide(id, 'approve')],
  ['is rejected', 'rejected', ['approval.rejected'], (place, id) => place.decide(id, 'reject')],
  ['is canceled', 'canceled', ['approval.canceled'], (place, id) => place.decide(id, 'cancel')],
  [
    'is used',
    'consumed',
    ['approval.approved', 'approval.consumed'],
    async (place, id) => {
      await place.decide(id, 'approve');
      expect((await place.execute()).status).toBe(200);
    },
  ],
  [
    'is approved and never used',
    'expired',
    ['approval.approved', 'approval.expired'],
    async (place, id) => {
      await place.decide(id, 'approve');
      await runOut('receipts', { approval_id: id });
      await expireUnusedApproval(bed.gateway, id);
    },
  ],
  [
    'times out and expires',
    'expired',
    ['approval.expired'],
    async (_, id) => {
      await runOut('approvals', { id });
      await bed.gateway.db('approvals').where({ id }).update({ default_on_timeout: 'expire' });
      await timeOutApproval(bed.gateway, id);
    },
  ],
  [
    'times out and is rejected',
    'rejected',
    ['approval.expired'],
    async (_, id) => {
      await runOut('approvals', { id });
      await timeOutApproval(bed.gateway, id);
    },
  ],
  [
    'loses its workspace',
    'canceled',
    ['approval.canceled'],
    ({ workspaceId }) => bed.api.must(200).delete(`/api/v1/workspaces/${workspaceId}`),
  ],
];

test.each(WAYS)('an approval that %s (%s) has a row for each step', async (_, status, steps, go) => {
  const place = await aPlace(bed);
  const id = await place.ask();
  await go(place, id);
  expect((await bed.api.must(200).get(`/api/v1/approvals/${id}`)).approval.status).toBe(status);
  expect(typesOf(await place.trail({ approval_id: id }))).toEqual(['approval.requested', ...steps]);
});

test('every approval has the status of its last row', async () => {
  for (const decision of ['notify_only', 'auto_approve']) expect((await (await aPlace(bed, { decision })).execute()).status).toBe(200);
  const { rows } = await bed.gateway.db.raw(`
    select id, status, last.type, last.details ->> 'status' as told from approvals left join lateral (
      select type, details from activity where approval_id = approvals.id and (type like 'approval.%' or type = 'call.let_through')
      order by activity.id desc limit 1) last on true`);
  const implied: Record<string, string> = {
    'approval.requested': 'pending',
    'approval.consumed': 'consumed',
    'call.let_through': 'consumed',
  };
  expect(rows.length).toBeGreaterThan(WAYS.length);
  for (const { id, status, type, told } of rows) expect([id, told ?? implied[type]]).toEqual([id, status]);
});

test('the check for missing rows finds none', async () => {
  expect(await findUnrecorded(bed.gateway.db)).toEqual(new Map());
});

test('the rows of an approval name the decider, the reason and the call', async () => {
  const place = await aPlace(bed);
  const id = await place.ask('never shown here');
  const decided = await place.decide(id, 'approve', { reason: 'Looks right' });
  await place.execute('never shown here');
  const { inputHash } = decided.approval;
  const by = { actorType: 'api_key', actorId: keyId, approvalId: id };
  const trail = await place.trail({ approval_id: id });
  expect(trail).toEqual([
    {
      ...{ type: 'approval.requested', ...by, callId: null },
      details: {
        ...{ policyName: 'Ask first', source: 'rest', inputHash, endUserId: null, expiresAt: decided.approval.expiresAt },
        reasons: ['policy "Ask first" matches every action'],
      },
    },
    {
      type: 'approval.approved',
      ...by,
      callId: null,
      details: { status: 'approved', reason: 'Looks right', decisionMetadata: null, inputHash },
    },
    { type: 'approval.consumed', ...by, callId: expect.any(String), details: { inputHash } },
  ]);
  const [call] = await bed.gateway.db('calls').where({ id: trail[2]!.callId });
  expect([call.approval_id, call.status]).toEqual([id, 'succeeded']);
  expect(JSON.stringify(trail)).not.toContain('never shown');
});

test('the row of a timeout names the timeout as actor, and the resulting status', async () => {
  const place = await aPlace(bed);
  const id = await place.ask();
  await runOut('approvals', { id });
  await timeOutApproval(bed.gateway, id);
  const [, row] = await place.trail({ approval_id: id });
  expect(row).toMatchObject({ type: 'approval.expired', actorType: 'timeout', actorId: null, details: { status: 'rejected' } });
});

test('a refused decision on a settled approval leaves no row', async () => {
  const place = await aPlace(bed);
  const id = await place.ask();
  await place.decide(id, 'reject');
  expect((await bed.api.post(`/api/v1/approvals/${id}/approve`)).status).toBe(409);
  expect(typesOf(await place.trail({ approval_id: id }))).toEqual(['approval.requested', 'approval.rejected']);
});

test.each([
  ['notify_only', 'call.let_through'],
  ['auto_approve', 'call.let_through'],
  ['block', 'call.blocked'],
])('a call under a policy with %s has a row %s that names the policy version', async (decision, type) => {
  const place = await aPlace(bed, { decision });
  await place.execute();
  const [row] = await bed.gateway.db('activity').where({ workspace_id: place.workspaceId, type });
  const [call] = await bed.gateway.db('calls').where({ workspace_id: place.workspaceId });
  expect(row).toMatchObject({ policy_id: place.policyId, policy_version: 1, call_id: call.id, approval_id: call.approval_id });
  expect(row).toMatchObject({ actor_type: 'api_key', actor_id: keyId, integration_name: 'hash-encode', action_name: 'hash' });
  expect(row.details).toMatchObject({ decision, policyName: 'Ask first', source: 'rest', inputHash: call.input_hash });
});

test('a call that matches no policy leaves no row', async () => {
  const place = await aPlace(bed, { integrationNames: ['http'] });
  expect((await place.execute()).status).toBe(200);
  expect(typesOf(await place.trail())).toEqual(['policy.created']);
});

test('the row of a call within the reuse window names the approval', async () => {
  const place = await aPlace(bed, { reuseWindowSeconds: 60 });
  const id = await place.ask();
  await place.decide(id, 'approve');
  const first = await place.execute();
  const again = await place.execute();
  expect([first.status, again.status]).toEqual([200, 200]);
  const trail = await place.trail();
  expect(typesOf(trail)).toEqual(['policy.created', 'approval.requested', 'approval.approved', 'approval.consumed', 'call.reused']);
  expect(trail[4]).toMatchObject({ approvalId: id, actorId: keyId, callId: expect.any(String) });
  expect(trail[4]!.callId).not.toBe(trail[3]!.callId);
});

test('the row of a blocked redirect contains only the host of the address', async () => {
  const place = await aPlace(bed, { decision: 'block', rules: { domainDenylist: ['elsewhere.example.com'] } });
  const { workspaceId } = place;
  const server = createServer((_, response) => response.writeHead(302, { location: 'http://elsewhere.example.com/?token=secret-7' }).end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const input = { method: 'GET', url: `http://127.0.0.1:${port}/`, followRedirects: true };
  await bed.api.post('/api/v1/actions/execute', { workspaceId, integrationName: 'http', actionName: 'send_request', input });
  server.close();
  const trail = await place.trail();
  expect(trail[1]).toMatchObject({ type: 'call.blocked', details: { redirectedTo: 'elsewhere.example.com', decision: 'block' } });
  expect(JSON.stringify(trail)).not.toContain('secret-7');
});

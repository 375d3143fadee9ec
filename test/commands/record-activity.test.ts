import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expireUnusedApproval } from '../../commands/expire-unused-approval.ts';
import { findUnrecorded } from '../../commands/find-unrecorded.ts';
import { timeOutApproval } from '../../commands/time-out-approval.ts';
import { trailOf } from '../api/activity/activity-bed.ts';
import { type ApiBed, openApiBed } from '../api/api-bed.ts';

let bed: ApiBed;
let keyId: string;
beforeAll(async () => {
  bed = await openApiBed();
  keyId = (await bed.api.must(200).get('/api/v1/api-keys')).apiKeys[0].id;
});
afterAll(() => bed.close());

let count = 0;
/** A workspace with a policy of its own; what happens in it no other test sees. */
async function aPlace(policy: object = {}) {
  count += 1;
  const { workspace } = await bed.api.must(201).post('/api/v1/workspaces', { name: 'A place', slug: `place-${count}` });
  const fields = { name: 'Ask first', workspaceId: workspace.id, ...policy };
  const { policy: made } = await bed.api.must(200).post('/api/v1/approval-policies', fields);
  const call = (text = 'x') => ({ workspaceId: workspace.id, integrationName: 'hash-encode', actionName: 'hash', input: { text } });
  return {
    workspaceId: workspace.id as string,
    policyId: made.id as string,
    execute: (text?: string) => bed.api.post('/api/v1/actions/execute', call(text)),
    ask: async (text?: string): Promise<string> => (await bed.api.must(202).post('/api/v1/actions/execute', call(text))).approval.id,
    decide: (id: string, decision: string, body?: object) => bed.api.must(200).post(`/api/v1/approvals/${id}/${decision}`, body),
    trail: async (where: object = {}) => trailOf(bed.gateway.db, { workspace_id: workspace.id, ...where }),
  };
}

const typesOf = (rows: { type: string }[]) => rows.map(({ type }) => type);

async function runOut(table: 'approvals' | 'receipts', where: object): Promise<void> {
  const past = bed.gateway.db.raw("now() - interval '1 second'");
  await bed.gateway.db(table).where(where).update({ expires_at: past });
}

/** Each way that an approval over REST may go; answers what it is then, and what the trail says of it. */
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
    'runs out, and expires',
    'expired',
    ['approval.expired'],
    async (_, id) => {
      await runOut('approvals', { id });
      await bed.gateway.db('approvals').where({ id }).update({ default_on_timeout: 'expire' });
      await timeOutApproval(bed.gateway, id);
    },
  ],
  [
    'runs out, and is rejected',
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

test.each(WAYS)('an approval that %s (%s) has a row for each step that led there', async (_, status, steps, go) => {
  const place = await aPlace();
  const id = await place.ask();
  await go(place, id);
  expect((await bed.api.must(200).get(`/api/v1/approvals/${id}`)).approval.status).toBe(status);
  expect(typesOf(await place.trail({ approval_id: id }))).toEqual(['approval.requested', ...steps]);
});

test('no approval stands anywhere but where the last of its rows says', async () => {
  for (const decision of ['notify_only', 'auto_approve']) expect((await (await aPlace({ decision })).execute()).status).toBe(200);
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

test('of all that there is, the trail lacks nothing', async () => {
  expect(await findUnrecorded(bed.gateway.db)).toEqual(new Map());
});

test('a decision is told with who made it, why, and what it was about', async () => {
  const place = await aPlace();
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

test('what ran out is told as the doing of the time, with the status that it led to', async () => {
  const place = await aPlace();
  const id = await place.ask();
  await runOut('approvals', { id });
  await timeOutApproval(bed.gateway, id);
  const [, row] = await place.trail({ approval_id: id });
  expect(row).toMatchObject({ type: 'approval.expired', actorType: 'timeout', actorId: null, details: { status: 'rejected' } });
});

test('a decision that comes too late, or twice, leaves no row', async () => {
  const place = await aPlace();
  const id = await place.ask();
  await place.decide(id, 'reject');
  expect((await bed.api.post(`/api/v1/approvals/${id}/approve`)).status).toBe(409);
  expect(typesOf(await place.trail({ approval_id: id }))).toEqual(['approval.requested', 'approval.rejected']);
});

test.each([
  ['notify_only', 'call.let_through'],
  ['auto_approve', 'call.let_through'],
  ['block', 'call.blocked'],
])('a call under a policy that says %s is told as %s, with the policy, its version and the call', async (decision, type) => {
  const place = await aPlace({ decision });
  await place.execute();
  const [row] = await bed.gateway.db('activity').where({ workspace_id: place.workspaceId, type });
  const [call] = await bed.gateway.db('calls').where({ workspace_id: place.workspaceId });
  expect(row).toMatchObject({ policy_id: place.policyId, policy_version: 1, call_id: call.id, approval_id: call.approval_id });
  expect(row).toMatchObject({ actor_type: 'api_key', actor_id: keyId, integration_name: 'hash-encode', action_name: 'hash' });
  expect(row.details).toMatchObject({ decision, policyName: 'Ask first', source: 'rest', inputHash: call.input_hash });
});

test('a call that no policy looks at leaves no row', async () => {
  const place = await aPlace({ integrationNames: ['http'] });
  expect((await place.execute()).status).toBe(200);
  expect(typesOf(await place.trail())).toEqual(['policy.created']);
});

test('a call within the reuse window is told with the approval that it stands on', async () => {
  const place = await aPlace({ reuseWindowSeconds: 60 });
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

test('of a redirect that a policy stops the host is told, and nothing of the rest of the address', async () => {
  const place = await aPlace({ decision: 'block', rules: { domainDenylist: ['elsewhere.example.com'] } });
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

describe('policies', () => {
  test('each change is told with the whole text that holds from then on, and who made it', async () => {
    const place = await aPlace({ actionNames: ['send'], rules: { amountThresholds: [{ path: 'amount', gte: 5 }] } });
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

  test('no secret of a webhook address and of metadata is kept', async () => {
    const webhookUrl = 'https://hooks.example.com/in?token=query-7&tenant=query-8';
    const place = await aPlace({ approvers: [{ type: 'webhook', webhookUrl }], metadata: { team: 'billing', apiKey: 'meta-7' } });
    const [{ details }] = (await place.trail()) as [{ details: { policy: Record<string, unknown> } }];
    expect(details.policy.approvers).toEqual([
      { type: 'webhook', webhookUrl: 'https://hooks.example.com/in?token=[redacted]&tenant=[redacted]' },
    ]);
    expect(details.policy.metadata).toEqual({ team: 'billing', apiKey: '[redacted]' });
  });

  test('those that go with their workspace are told, one by one', async () => {
    const place = await aPlace();
    await bed.api.must(200).post('/api/v1/approval-policies', { name: 'Second', workspaceId: place.workspaceId });
    await bed.api.must(200).delete(`/api/v1/workspaces/${place.workspaceId}`);
    const deleted = (await place.trail()).filter(({ type }) => type === 'policy.deleted');
    expect(deleted.map(({ details, actorId }) => [details.policy.name, actorId]).sort()).toEqual([
      ['Ask first', keyId],
      ['Second', keyId],
    ]);
  });

  test('a change that is refused is not told', async () => {
    const place = await aPlace();
    await bed.api.must(400).patch(`/api/v1/approval-policies/${place.policyId}`, { priority: -1 });
    expect(typesOf(await place.trail())).toEqual(['policy.created']);
  });
});

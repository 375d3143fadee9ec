import { sealActivity } from '../../../../commands/audit/seal-activity.ts';
import type { OrgRole } from '../../../../domain/policies/policy.ts';
import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { anApproval } from '../page-bed.ts';
import { type AppMember, aMember, pageBed } from './app-bed.ts';

const URL = 'https://hooks.example.com/approvals';
const HIDDEN = '(hidden: this link can decide)';

let bed: ApiBed;
let owner: AppMember;
beforeAll(async () => {
  bed = await openApiBed();
  owner = await aMember(bed, 'owner');
});
afterAll(() => bed.close());

async function aPolicy(fields: object = {}): Promise<{ policyId: string; endpointId: string }> {
  const given = { name: 'Tell us', workspaceId: bed.workspaceId, approvers: [{ type: 'webhook', webhookUrl: URL }], ...fields };
  const { policy } = await bed.api.must(200).post('/api/v1/approval-policies', given);
  const endpoint = await bed.gateway.db('webhook_endpoints').where({ policy_id: policy.id }).first('id');
  return { policyId: policy.id, endpointId: endpoint.id };
}

async function aDelivery(policyId: string, fields: object = {}): Promise<{ id: string; approvalId: string }> {
  const approval = await anApproval(pageBed(bed), { policyId, policyName: 'Tell us', ...fields });
  const row = await bed.gateway.db('webhook_deliveries').where({ approval_id: approval.id }).first('id');
  return { id: row.id, approvalId: approval.id };
}

const fail = (id: string, fields: object = {}) =>
  bed
    .patient('webhook_deliveries')
    .where({ id })
    .update({ status: 'failed', attempt: 10, next_attempt_at: null, http_status: 500, ...fields });
const statusOf = async (id: string) => (await bed.gateway.db('webhook_deliveries').where({ id }).first('status')).status;
const askedFor = async (id: string) =>
  bed.gateway.db('activity').where({ delivery_id: id, type: 'webhook.redelivery_asked' }).select('actor_type', 'actor_id');

test('endpoints are listed with their policies; an empty list says that it is empty', async () => {
  const empty = await owner.get('/webhooks');
  expect(empty.text).toMatch(/No endpoints yet\..*No deliveries yet\./);
  const { policyId, endpointId } = await aPolicy();
  const { html } = await owner.get('/webhooks');
  expect(html).toContain('<table class="list" role="table" aria-label="Endpoints">');
  expect(html).toContain(`<a href="/app/policies/${policyId}">Tell us</a>`);
  expect(html).toContain(`href="/app/webhooks/endpoints/${endpointId}/rotate" title="Of ${URL}"`);
  const viewer = await aMember(bed, 'viewer');
  expect((await viewer.get('/webhooks')).html).not.toMatch(/Rotate secret|Send failed ones again/);
});

test.each<OrgRole>(['viewer', 'member', 'admin'])('only roles that may set webhooks can read whole addresses: %s', async (role) => {
  const secret = `T0/${role}-path?key=${role}-query`;
  const approvers = [{ type: 'webhook', webhookUrl: `https://hooks.example.com/${secret}` }];
  const { policyId } = await aPolicy({ approvers });
  const changed = [...approvers, { type: 'webhook', webhookUrl: `https://hooks.example.net/${secret}` }];
  await bed.api.must(200).patch(`/api/v1/approval-policies/${policyId}`, { approvers: changed });
  const { id, approvalId } = await aDelivery(policyId);
  const member = await aMember(bed, role);
  for (const path of ['/webhooks', `/webhooks/deliveries/${id}`, `/approvals/${approvalId}`, `/policies/${policyId}`]) {
    const { text } = await member.get(path);
    expect([path, text]).toEqual([path, expect.stringMatching(/https:\/\/hooks\.example\.(com|net)\//)]);
    expect([path, text.includes(secret)]).toEqual([path, role === 'admin']);
  }
});

test('a secret is rotated after a confirmation and shown once', async () => {
  const { endpointId } = await aPolicy();
  const path = `/webhooks/endpoints/${endpointId}/rotate`;
  const before = await bed.gateway.db('webhook_endpoints').where({ id: endpointId }).first();
  expect((await owner.get(path)).text).toMatch(
    /Rotate the secret of https:\/\/hooks.*For 24 hours, the old secret.*The policy of this webhook asked for no approval in the last 7 days/,
  );
  expect(await bed.gateway.db('webhook_endpoints').where({ id: endpointId }).first()).toEqual(before);
  const rotated = await owner.post(path);
  expect([rotated.status, rotated.text]).toEqual([200, expect.stringContaining('Copy it now')]);
  const [secret] = /whsec_[A-Za-z0-9+/=]+/.exec(rotated.html)!;
  expect(rotated.headers.get('content-encoding')).toBeNull();
  const page = await owner.get('/webhooks');
  expect(page.html).not.toContain(secret);
  expect(page.text).toContain('The old secret also signs until');
  expect((await owner.get('/activity?type=webhook_secret.rotated')).text).toContain('hooks.example.com');
});

test('a delivery shows its attempts and body, but hides links that can decide', async () => {
  const { policyId } = await aPolicy();
  const { id, approvalId } = await aDelivery(policyId);
  await bed.patient.raw(
    `insert into activity (org_id, workspace_id, type, actor_type, approval_id, delivery_id, details)
       values (:orgId, :workspaceId, 'webhook.attempt_failed', 'system', :approvalId, :id, '{"attempt":1,"httpStatus":503,"errorMessage":"The receiver <b>answered</b> 503."}')`,
    { orgId: bed.orgId, workspaceId: bed.workspaceId, approvalId, id },
  );
  const { html, text } = await owner.get(`/webhooks/deliveries/${id}`);
  expect(html).toContain('<h1 dir="auto">approval.requested to hooks.example.com</h1>');
  expect(text).toMatch(/Attempts.*The receiver <b>answered<\/b> 503\..*503/);
  expect(html).not.toContain('<b>answered');
  expect(text).toContain(`"hostedApprovalUrl": "${HIDDEN}"`);
  expect(html).not.toMatch(/token=|apr_link_/);
  const dashboardOnly = await aDelivery(policyId, { approvalAccessMode: 'dashboard_only' });
  const { text: shown } = await owner.get(`/webhooks/deliveries/${dashboardOnly.id}`);
  expect(shown).toMatch(new RegExp(`"approvalUrl": "http://[^"]+/app/approvals/${dashboardOnly.approvalId}"`));
  expect(shown).toContain('"hostedApprovalUrl": null');
});

test('the body on the page has the fields event, createdAt, approval and receipt, in this order', async () => {
  const { policyId } = await aPolicy();
  const { id } = await aDelivery(policyId);
  const { html } = await owner.get(`/webhooks/deliveries/${id}`);
  const body = JSON.parse(
    /<pre class="json" dir="auto">([\s\S]*?)<\/pre>/
      .exec(html)![1]!
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&')
      .replaceAll('&#39;', "'"),
  );
  expect(Object.keys(body)).toEqual(['event', 'createdAt', 'approval', 'receipt']);
  expect(body.approval).toMatchObject({ approvalUrl: HIDDEN, hostedApprovalUrl: HIDDEN });
});

test('"Send again" makes a delivery due; for a removed endpoint it is refused with an alert', async () => {
  const { policyId } = await aPolicy();
  const { id } = await aDelivery(policyId);
  await fail(id);
  const reviewer = await aMember(bed, 'member');
  const sent = await reviewer.post(`/webhooks/deliveries/${id}/send`);
  expect([sent.status, sent.location]).toEqual([303, `/app/webhooks/deliveries/${id}`]);
  expect(await statusOf(id)).toBe('retrying');
  expect(await askedFor(id)).toEqual([{ actor_type: 'user', actor_id: reviewer.id }]);
  await fail(id);
  await bed.patient('webhook_endpoints').where({ policy_id: policyId }).update({ disabled_at: new Date() });
  const refused = await reviewer.post(`/webhooks/deliveries/${id}/send`);
  expect([refused.status, refused.html]).toEqual([409, expect.stringContaining('role="alert"')]);
  expect(await statusOf(id)).toBe('failed');
});

test('failed deliveries since the given day are sent again, each with an audit row, unless their endpoint was removed', async () => {
  const { policyId } = await aPolicy();
  const gone = await aPolicy({ name: 'Gone' });
  const [recent, old, arrived] = [await aDelivery(policyId), await aDelivery(policyId), await aDelivery(policyId)];
  const removed = await aDelivery(gone.policyId);
  await fail(recent.id);
  await fail(old.id, { created_at: new Date('2020-05-05T12:00:00Z') });
  await fail(removed.id);
  await bed.patient('webhook_endpoints').where({ policy_id: gone.policyId }).update({ disabled_at: new Date() });
  await bed.patient('webhook_deliveries').where({ id: arrived.id }).update({ status: 'success', next_attempt_at: null });
  await bed.patient('webhook_endpoints').where({ policy_id: policyId }).update({ gone_at: new Date() });

  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const sent = await owner.post('/webhooks/send-failed', { since: yesterday });
  expect([sent.status, sent.location]).toEqual([303, '/app/webhooks']);
  expect((await owner.get('/webhooks')).text).toContain('1 delivery is sent again.');
  expect(await Promise.all([recent, old, removed, arrived].map(({ id }) => statusOf(id)))).toEqual([
    'retrying',
    'failed',
    'failed',
    'success',
  ]);
  expect(await askedFor(recent.id)).toEqual([{ actor_type: 'user', actor_id: owner.id }]);
  expect((await bed.gateway.db('webhook_endpoints').where({ policy_id: policyId }).first()).gone_at).toBeNull();
  expect((await owner.post('/webhooks/send-failed', { since: '2199-01-01' })).status).toBe(303);
  expect((await owner.post('/webhooks/send-failed', { since: 'yesterday' })).status).toBe(400);
  await sealActivity(bed.gateway.db, bed.orgId);
});

test('with a status filter and pages, every delivery is listed once, newest first', async () => {
  const { policyId } = await aPolicy();
  const made: string[] = [];
  for (let count = 0; count < 53; count += 1) made.push((await aDelivery(policyId)).id);
  await bed.patient('webhook_deliveries').whereIn('id', made).update({ status: 'success', next_attempt_at: null });
  const idsIn = (html: string) => [...html.matchAll(/\/app\/webhooks\/deliveries\/([0-9a-f-]{36})"/g)].map(([, id]) => id);
  const first = await owner.get('/webhooks?status=success');
  const next = /href="\/app([^"]+)">Next page/.exec(first.html)![1]!.replaceAll('&amp;', '&');
  const second = await owner.get(next);
  const listed = [...idsIn(first.html), ...idsIn(second.html)];
  expect(listed.slice(0, 53)).toEqual(made.toReversed());
  expect(new Set(listed).size).toBe(listed.length);
  expect((await owner.get('/webhooks?status=nonsense&page=x')).status).toBe(400);
  expect((await owner.get(`/webhooks?workspace=${bed.workspaceId}&status=success`)).status).toBe(200);
});

test('deliveries and endpoints of another organization are not found', async () => {
  const { policyId, endpointId } = await aPolicy();
  const { id } = await aDelivery(policyId);
  const [{ orgId }] = await bed.gateway.db('orgs').insert({ name: 'Other' }).returning('id as orgId');
  const foreign = await aMember({ ...bed, orgId }, 'owner');
  expect((await foreign.get('/webhooks')).text).toMatch(/No endpoints yet\..*No deliveries yet\./);
  for (const path of [`/webhooks/deliveries/${id}`, `/webhooks/endpoints/${endpointId}/rotate`])
    expect((await foreign.get(path)).status).toBe(404);
  expect((await foreign.post(`/webhooks/deliveries/${id}/send`)).status).toBe(404);
  await fail(id);
  await foreign.post('/webhooks/send-failed', { since: '2020-01-01' });
  expect(await statusOf(id)).toBe('failed');
});

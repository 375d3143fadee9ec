import { readHealth } from '../../../../api/pages/app/overview/read-health.ts';
import { createOrg } from '../../../../commands/access/create-org.ts';
import type { Gateway } from '../../../../commands/gateway.ts';
import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { anApproval } from '../page-bed.ts';
import { aMember, pageBed } from './app-bed.ts';
import { connectedRecords } from './connected-records.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed.close());

const linksIn = (html: string, id: string) => {
  const [, section] = new RegExp(`<section[^>]*aria-labelledby="${id}">([\\s\\S]*?)</section>`).exec(html) ?? [];
  return [...(section ?? '').matchAll(/<a href="\/app([^"]*)"/g)].map(([, href]) => href);
};

test('a new organization has no pending requests, and four first steps that fit the role', async () => {
  const org = await createOrg(bed.gateway, 'New');
  const admin = await aMember({ ...bed, ...org }, 'admin');
  const viewer = await aMember({ ...bed, ...org }, 'viewer');
  const { html, text } = await admin.get('');
  expect(text).toContain('Nothing waits for you.');
  expect(linksIn(html, 'first-steps')).toEqual(['/integrations', '/servers/new', '/policies/new', '/playground']);
  expect(html).not.toContain('Calls in the last 24 hours');
  expect(linksIn((await viewer.get('')).html, 'first-steps')).toEqual(['/integrations', '/servers', '/policies', '/approvals']);
});

test('the overview lists the five oldest requests that the member can decide', async () => {
  const made: string[] = [];
  for (let count = 0; count < 6; count += 1) made.push((await anApproval(pageBed(bed))).id);
  const [reviewer, viewer] = [await aMember(bed, 'member'), await aMember(bed, 'viewer')];
  const { html } = await reviewer.get('');
  expect(linksIn(html, 'waiting')).toEqual([...made.slice(0, 5).map((id) => `/approvals/${id}`), '/approvals']);
  expect(html).toContain('>All waiting approvals</a>');
  expect((await viewer.get('')).text).toContain('Nothing waits for you.');
});

test('requests that a member cannot decide do not hide requests that the member can decide', async () => {
  const org = await createOrg(bed.gateway, 'Many');
  const there = { ...bed, ...org };
  const [reviewer, owner] = [await aMember(there, 'member'), await aMember(there, 'owner')];
  const copy = (id: string, approvers: object[], count: number) =>
    bed.patient.raw(
      `insert into approvals select (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(), 'input_hash', 'n' || n,
         'approvers', :approvers::jsonb, 'created_at', a.created_at - interval '1 hour'))).*
       from approvals a, generate_series(1, :count) n where a.id = :id`,
      { id, approvers: JSON.stringify(approvers), count },
    );
  const { id } = await anApproval(pageBed(there));
  await copy(id, [{ type: 'org_role', roles: ['owner'] }], 1200);
  const { html } = await reviewer.get('');
  expect(linksIn(html, 'waiting')).toEqual([`/approvals/${id}`, '/approvals']);
  expect(html).toContain('aria-label="Approvals, 1 waiting"');
  expect(linksIn((await reviewer.get(`?workspace=${org.workspaceId}`)).html, 'waiting')).toEqual([`/approvals/${id}`, '/approvals']);
  expect((await owner.get('')).html).toMatch(/aria-label="Approvals, more than 1,000 waiting"[^>]* data-count="1,000\+"/);
});

const THERE = { ping: async () => {}, hasWorker: async () => true };
const statesOf = async (orgId: string, orchestrator: object) =>
  Object.fromEntries(
    (await readHealth({ ...bed.gateway, orchestrator: orchestrator as Gateway['orchestrator'] }, orgId, undefined)).map(
      ({ name, state }) => [name, state],
    ),
  );

test('health describes each part in words, even while Temporal is unavailable', async () => {
  const org = await createOrg(bed.gateway, 'Sick');
  const owner = await aMember({ ...bed, ...org }, 'owner');
  expect(await statesOf(org.orgId, THERE)).toEqual({
    ...{ Database: 'Works', Temporal: 'Works', Worker: 'Works', Webhooks: 'None set up', Connections: 'None yet' },
  });
  expect(await statesOf(org.orgId, { ...THERE, hasWorker: async () => false })).toMatchObject({
    Worker: 'No worker runs. Webhooks and code runs wait for a worker.',
  });
  // This bed has no Temporal.
  expect((await owner.get('')).text).toMatch(
    /Temporal Not reachable\. Decisions are kept and arrive later\. Worker We can't see the worker/,
  );
});

test('a form that needs Temporal says that Temporal is unavailable and keeps its values', async () => {
  const { workspaceId } = bed;
  const { server } = await bed.api.must(201).post('/api/v1/mcp/servers', { name: 'Code', workspaceId, mode: 'CODE' });
  const admin = await aMember(bed, 'admin');
  const program = { server: server.id, code: 'return 1;', act: 'run' };
  const { status, text, html } = await admin.post('/playground/program', program);
  expect([status, text]).toEqual([
    503,
    expect.stringContaining('Temporal is not reachable Nothing changed. Wait a moment, then try again.'),
  ]);
  expect(html).toContain('name="code" value="return 1;"');
  // With scripts, the browser keeps the form's values, so the answer does not repeat them.
  const byScript = await admin.post('/playground/program', program, { 'X-Sent-By': 'script' });
  expect([byScript.status, byScript.html.includes('return 1;')]).toEqual([503, false]);
});

test('health counts failed and overdue deliveries', async () => {
  const { policy } = await bed.api.must(200).post('/api/v1/approval-policies', {
    ...{ name: 'Tell', enabled: false, approvers: [{ type: 'webhook', webhookUrl: 'https://hooks.example.com/x' }] },
  });
  expect((await statesOf(bed.orgId, THERE)).Webhooks).toBe('Works');
  await anApproval(pageBed(bed), { policyId: policy.id });
  await bed.patient.raw("update webhook_deliveries set next_attempt_at = now() - interval '3 minutes'");
  expect((await statesOf(bed.orgId, THERE)).Webhooks).toBe('1 overdue. A worker sends them.');
  await bed.patient.raw("update webhook_deliveries set next_attempt_at = null, status = 'failed'");
  expect((await statesOf(bed.orgId, THERE)).Webhooks).toBe('1 failed in the last 24 hours');
});

test('health counts a connection with expired access as broken', async () => {
  const { connectionId } = await connectedRecords(bed);
  expect((await statesOf(bed.orgId, THERE)).Connections).toBe('Works');
  const ended = bed.patient.raw("now() - interval '1 minute'");
  await bed.patient('connections').where({ id: connectionId }).update({ expiring_at: ended, expires_at: ended });
  expect((await bed.api.must(200).get(`/api/v1/connections?id=${connectionId}`)).connection.status).toBe('ERROR');
  expect((await statesOf(bed.orgId, THERE)).Connections).toBe('1 of 2 must be connected again');
});

test('a chart shows the calls of the last 24 hours in the workspace', async () => {
  const org = await createOrg(bed.gateway, 'Busy');
  const owner = await aMember({ ...bed, ...org }, 'owner');
  await bed.patient.raw(
    `insert into calls (org_id, workspace_id, source, integration_name, action_name, status, input_hash, requested_by_type, started_at)
       select :orgId, :workspaceId, 'rest', 'http', 'send_request', 'succeeded', 'x', 'system', now() - n * interval '7 hours' from generate_series(0, 5) n`,
    { orgId: org.orgId, workspaceId: org.workspaceId },
  );
  const { html } = await owner.get(`?workspace=${org.workspaceId}`);
  expect(html).toMatch(/role="img" aria-label="Calls in the last 24 hours: 4, most from [^"]+: 1"/);
  expect(html).toContain('Calls in the last 24 hours, as a table');
  expect(html).not.toContain('First steps');
});

test('the overview shows recent activity with a link to all activity', async () => {
  const owner = await aMember(bed, 'owner', { name: 'Olga <b>Owner' });
  const { html, text } = await owner.get('');
  expect(text).toMatch(/Activity.*Signed in.*Olga <b>Owner/);
  expect(linksIn(html, 'activity').at(-1)).toBe('/activity');
});

import { rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { createOrg } from '../../commands/access/create-org.ts';
import { readConfig } from '../../infra/config.ts';
import { openTokens } from '../../infra/tokens.ts';
import { reachDatabase } from '../../standalone/reach-database.ts';
import { keepSecrets } from '../../standalone/secrets.ts';
import { patientDatabase } from '../support/patient-database.ts';
import { aReceiver } from '../support/receiver.ts';
import { system } from '../support/system.ts';
import { aPolicy, aServer, aTenant, type Tenant } from '../support/tenant.ts';
import { makeTestFolder } from '../support/test-bed.ts';
import { admin, runAdminProcess } from './run-admin.ts';

let tenant: Tenant;
beforeEach(async () => {
  tenant = await aTenant();
});

async function anApproval(fields: object = {}): Promise<string> {
  await aPolicy(tenant, { integrationNames: ['datetime'], ...fields });
  const call = { integrationName: 'datetime', actionName: 'parse_date', workspaceId: tenant.workspaceId };
  return (await tenant.api.must(202).post('/api/v1/actions/execute', { ...call, input: { dateString: '2026-01-01' } })).approval.id;
}

const approvalOf = async (id: string) => (await tenant.api.must(200).get(`/api/v1/approvals/${id}`)).approval;
const member = (email: string, role: string) => admin('add-user', '--org', tenant.orgId, '--email', email, '--role', role);

test('approvals list prints pending approvals, as a table and as JSON', async () => {
  expect(await admin('approvals', '--org', tenant.orgId)).toEqual({ code: 0, stdout: 'No approvals.\n', stderr: '' });
  const id = await anApproval();
  const { stdout } = await admin('approvals', 'list', '--org', tenant.orgId, '--status', 'pending');
  const [heading, row] = stdout.split('\n') as [string, string];
  expect(heading).toMatch(/^APPROVAL +STATUS +ASKED \(UTC\) +UNTIL +ACTION/);
  expect(row).toMatch(new RegExp(`^${id} +pending +2\\d{3}-.* datetime\\.parse_date `));
  expect(row.indexOf('datetime.parse_date')).toBe(heading.indexOf('ACTION'));
  const listed = JSON.parse((await admin('approvals', '--org', tenant.orgId, '--limit', '1', '--json')).stdout);
  expect(listed).toMatchObject({
    approvals: [{ id, status: 'pending', approvers: [], inputPreview: { dateString: '2026-01-01' } }],
    total: 1,
  });
});

test('approvals show prints one approval as a reviewer sees it, and who can decide it', async () => {
  const id = await anApproval({ approvers: [{ type: 'org_role', roles: ['owner', 'admin'] }] });
  const { stdout } = await admin('approvals', 'show', id);
  for (const words of [id, 'datetime.parse_date', 'an owner or admin of the organization', '"dateString": "2026-01-01"', 'Ask first'])
    expect(stdout).toContain(words);
  expect(JSON.parse((await admin('approvals', 'show', id, '--json')).stdout)).toMatchObject({ id, policyName: 'Ask first' });
});

test('each page of the list except the last ends with the cursor of the next page', async () => {
  await aPolicy(tenant, { integrationNames: ['datetime'] });
  const call = { integrationName: 'datetime', actionName: 'parse_date', workspaceId: tenant.workspaceId };
  const made: string[] = [];
  for (const day of ['01', '02', '03'])
    made.unshift(
      (await tenant.api.must(202).post('/api/v1/actions/execute', { ...call, input: { dateString: `2026-01-${day}` } })).approval.id,
    );
  const list = (...args: string[]) => admin('approvals', 'list', '--org', tenant.orgId, '--limit', '2', ...args);
  const first = JSON.parse((await list('--json')).stdout);
  expect([first.approvals.map(({ id }: { id: string }) => id), first.total]).toEqual([made.slice(0, 2), 3]);
  expect((await list()).stdout.trimEnd().split('\n').at(-1)).toBe(`2 of 3. There are more: --cursor ${first.nextCursor}`);
  const second = JSON.parse((await list('--cursor', first.nextCursor, '--json')).stdout);
  expect([second.approvals.map(({ id }: { id: string }) => id), second.nextCursor]).toEqual([made.slice(2), null]);
  expect((await list('--cursor', first.nextCursor)).stdout.trimEnd().split('\n').at(-1)).toBe('1 of 3');
});

describe('the approval of a code run', () => {
  const CODE = `// Two dates
const token = 'sk_live_abcdefghijklmnop1234';
await svc.datetime.parse_date({ dateString: '2026-01-01' });
return await svc.datetime.format_date({ date: '2026-01-01', format: 'long' }); // \u202e`;

  async function aPausedRun() {
    const { id } = await aServer(tenant, 'CODE', ['datetime']);
    const { structuredContent } = await tenant.api.must(200).post(`/api/v1/mcp/servers/${id}/execute-code`, { code: CODE });
    return { server: id as string, ...structuredContent };
  }

  test('the program is shown with line numbers and without secrets', async () => {
    await aPolicy(tenant, { integrationNames: ['datetime'] });
    const { approval } = await aPausedRun();
    const { stdout } = await admin('approvals', 'show', approval.id);
    expect(stdout).toContain("\n3  await svc.datetime.parse_date({ dateString: '2026-01-01' });\n");
    expect(stdout).toContain('// \\u{202e}\n');
    expect(stdout).toMatch(/\nProgram, 4 lines, SHA-256 [0-9a-f]{64}:\n/);
    expect(stdout).toContain('Hidden: possible secrets in line 2.');
    const { code } = JSON.parse((await admin('approvals', 'show', approval.id, '--json')).stdout);
    expect(code).toContain("\nawait svc.datetime.parse_date({ dateString: '2026-01-01' });\n");
    for (const text of [stdout, code]) expect(text).not.toContain('sk_live_abcdef');
  });

  test('after an approval, the output says what the run may do and what the run still waits for', async () => {
    await aPolicy(tenant, { name: 'Parsing', actionNames: ['parse_date'] });
    await aPolicy(tenant, { name: 'Formatting', actionNames: ['format_date'] });
    const { server, approvals } = await aPausedRun();
    const [one, two] = approvals.map(({ id }: { id: string }) => id);
    const first = (await admin('approvals', 'approve', one)).stdout;
    expect(first).toMatch(
      /is approved\. The code run crun_\w+ may make the calls that its plan has under this policy, until .*Z\. It waits for /,
    );
    expect(first).toContain(two);
    expect((await admin('approvals', 'approve', two)).stdout).toContain(`It goes on when its caller continues it with ${two}`);
    const { structuredContent } = await tenant.api.must(200).post(`/api/v1/mcp/servers/${server}/execute-code`, { approvalId: two });
    expect(structuredContent.status).toBe('executed');
  });
});

test('a decision while the service runs notifies the webhook and records the operator', async () => {
  const receiver = await aReceiver();
  const id = await anApproval({ approvers: [{ type: 'webhook', webhookUrl: receiver.url }] });
  const { stdout, stderr, code } = await admin('approvals', 'approve', id, '--reason', 'looks fine');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(new RegExp(`^${id} is approved\\. It may run once, until .*Z\\.\n$`));
  const decidedById = userInfo().username;
  expect(await approvalOf(id)).toMatchObject({ status: 'approved', decidedByType: 'operator', decidedById, decisionReason: 'looks fine' });
  const heard = (await receiver.has(2)).map(({ body }) => JSON.parse(body)); // requested, then approved
  expect(heard.map(({ event, approval }) => [event, approval.id])).toEqual([
    ['approval.requested', id],
    ['approval.approved', id],
  ]);
  await receiver.close();
});

test('with --as, a member decides by the rules of the policy', async () => {
  const [owner, guest] = [`owner-${tenant.orgId}@example.com`, `guest-${tenant.orgId}@example.com`];
  const { userId } = JSON.parse((await member(owner, 'owner')).stdout);
  await member(guest, 'member');
  const id = await anApproval({ approvers: [{ type: 'org_role', roles: ['owner'] }] });
  const refused = await admin('approvals', 'reject', id, '--as', guest);
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: 'The policy asks for an owner of the organization to decide this.\n' });
  expect((await admin('approvals', 'reject', id, '--as', 'nobody@example.com')).stderr).toContain('is not a member of the organization');
  const decided = JSON.parse((await admin('approvals', 'reject', id, '--as', owner, '--json')).stdout);
  expect(decided).toMatchObject({ approval: { id, status: 'rejected', decidedByType: 'user', decidedById: userId }, receipt: null });
  const { activity } = await tenant.api.must(200).get(`/api/v1/activity?approvalId=${id}`);
  const [rejected, tried] = activity.map(({ type, details }: { type: string; details: object }) => ({ type, details }));
  expect(rejected).toMatchObject({ type: 'approval.rejected', details: { sender: userInfo().username } });
  expect(tried).toMatchObject({ type: 'approval.decision_refused', details: { sender: userInfo().username } });
});

test('for a late decision, one line of output names the earlier decider', async () => {
  const owner = `first-${tenant.orgId}@example.com`;
  await member(owner, 'owner');
  const id = await anApproval();
  await admin('approvals', 'reject', id, '--as', owner, '--reason', 'no\u001b[2J');
  const { code, stdout, stderr } = await admin('approvals', 'approve', id);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(new RegExp(`^${id} is rejected already\\. By ${owner} at 2\\d{3}-.*Z: no\\\\u\\{1b\\}\\[2J\\.\n$`));
});

test('a link names its member, and also opens in the access mode dashboard_only', async () => {
  const owner = `linked-${tenant.orgId}@example.com`;
  const { userId } = JSON.parse((await member(owner, 'owner')).stdout);
  const id = await anApproval({ approvalAccessMode: 'dashboard_only' });
  const { stdout } = await admin('approvals', 'link', id, '--as', owner);
  const { pathname, searchParams } = new URL(stdout.trim());
  expect([pathname, searchParams.get('as')]).toEqual([`/approve/${id}`, `user:${userId}`]);
  expect((await fetch(`${(await system()).apiUrl}${pathname}?${searchParams}`)).status).toBe(200);
});

test('a decision while the service is stopped is stored, with an outbox entry for its notification', async () => {
  const dataDir = makeTestFolder('gateway-admin-');
  try {
    const { TOKEN_PEPPER } = keepSecrets(dataDir, {});
    const id = `apr_${'s'.repeat(22)}`;
    await onDatabaseOf(dataDir, async (db) => {
      const { orgId, workspaceId } = await createOrg({ db, tokens: openTokens(TOKEN_PEPPER) }, 'Stopped');
      await db.raw(PENDING, { id, orgId, workspaceId });
    });
    const { code, stdout, stderr } = await runAdminProcess({ DATA_DIR: dataDir }, ['approvals', 'approve', id]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`${id} is approved.`);
    const left = await onDatabaseOf(dataDir, (db) => db('outbox').select('kind', 'approval_id'));
    expect(left).toEqual([{ kind: 'approval-settled', approval_id: id }]);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

const PENDING = `insert into approvals (id, org_id, workspace_id, source, status, integration_name, action_name, input_hash, input_preview, redacted_paths,
    risk_reasons, approval_access_mode, timeout_seconds, default_on_timeout, idempotency_key, requested_by_type, expires_at)
  values (:id, :orgId, :workspaceId, 'rest', 'pending', 'storage', 'write_file', 'hash', '{"path":"a"}', '{}', '{}', 'dashboard_only', 3600, 'reject',
    'idem', 'api_key', now() + interval '1 hour')`;

function onDatabaseOf<T>(dataDir: string, use: (db: ReturnType<typeof patientDatabase>) => Promise<T>): Promise<T> {
  return reachDatabase(readConfig({ DATA_DIR: dataDir }), async (url) => {
    const db = patientDatabase(url);
    return use(db).finally(() => db.destroy());
  });
}

import { aServer } from '../../support/tenant.ts';
import { checkedTenant } from '../checked-caller.ts';

const POLICIES = '/api/v1/approval-policies';
const ROLE = { type: 'org_role', roles: ['owner'] };
const USER = { type: 'dashboard_user', userIds: ['u1'] };
const WEBHOOK = { type: 'webhook', webhookUrl: 'https://hooks.example.com/a' };
const END_USER = { type: 'end_user' };
const SELF = expect.stringMatching(/^Self-approvable: no person is named .* Name people in approvers .* or set approvalAccessMode to/);
const BY_END_USER = expect.stringMatching(/^Self-approvable: the end user .* name org_role or dashboard_user/);
const evadableBy = (fields: string) => expect.stringMatching(new RegExp(`^Evadable: .*\\(${fields}\\).*integrationNames and actionNames`));
const otherSource = (missing: string) => expect.stringMatching(new RegExp(`^Evadable: .* source .*\\(${missing}\\), .* in sources`));
const OTHER_END_USER = expect.stringMatching(/^Evadable: a REST caller .* endUserMode to any/);
const OTHER_SERVER = expect.stringMatching(/^Evadable: .* another MCP server, .* mcpServerIds empty/);

test.each<[string, object, unknown[]]>([
  ['it names no approver', {}, [SELF]],
  ['it names only webhooks', { approvers: [WEBHOOK] }, [SELF]],
  ['only the hosted link can decide', { approvalAccessMode: 'hosted_link_only' }, [SELF]],
  ['it names no approver and has no hosted link', { approvalAccessMode: 'dashboard_only' }, []],
  ['it names a role', { approvers: [ROLE] }, []],
  ['it names users and a webhook', { approvers: [WEBHOOK, USER] }, []],
  ['the end user decides', { approvers: [END_USER] }, [BY_END_USER]],
  ['the end user is one of several approvers', { approvers: [ROLE, END_USER], approvalAccessMode: 'dashboard_only' }, [BY_END_USER]],
  ['its end user approver never applies', { approvers: [ROLE, END_USER], endUserMode: 'no_end_user' }, [OTHER_END_USER]],
  ['it blocks', { decision: 'block' }, []],
  ['it only notifies', { decision: 'notify_only' }, []],
  ['it approves automatically', { decision: 'auto_approve' }, []],
  ['it filters by names', { approvers: [ROLE], integrationNames: ['http'], actionNames: ['send_request'] }, []],
  ['it filters by alias', { approvers: [ROLE], integrationAliases: ['mail'] }, [evadableBy('integrationAliases')]],
  ['it blocks by strategy', { decision: 'block', connectionStrategies: ['fixed'] }, [evadableBy('connectionStrategies')]],
  ['it approves automatically by alias', { decision: 'auto_approve', integrationAliases: ['mail'] }, []],
  ['it omits the source sdk', { approvers: [ROLE], sources: ['rest', 'mcp_tools', 'mcp_code'] }, [otherSource('sdk')]],
  ['it blocks only over MCP', { decision: 'block', sources: ['mcp_tools', 'mcp_code'] }, [otherSource('rest, sdk')]],
  ['it covers only the playground', { approvers: [ROLE], sources: ['playground'] }, [otherSource('rest, sdk, mcp_tools, mcp_code')]],
  ['it covers every source', { approvers: [ROLE], sources: ['rest', 'sdk', 'mcp_tools', 'mcp_code', 'playground'] }, []],
  ['it covers only calls with an end user', { approvers: [ROLE], endUserMode: 'end_user_present' }, [OTHER_END_USER]],
  ['it blocks only calls without an end user', { decision: 'block', endUserMode: 'no_end_user' }, [OTHER_END_USER]],
  ['it only notifies about one source', { decision: 'notify_only', sources: ['rest'], endUserMode: 'no_end_user' }, []],
  [
    'it filters by alias and by strategy',
    { integrationAliases: ['a'], connectionStrategies: ['fixed'] },
    [SELF, evadableBy('integrationAliases, connectionStrategies')],
  ],
])('a policy has the right warnings, in every answer, if %s', async (_, fields, warnings) => {
  const { api, workspaceId } = await checkedTenant();
  const { policy } = await api.must(200).post(POLICIES, { name: 'x', enabled: false, ...fields });
  const [listed] = (await api.must(200).get(POLICIES)).policies;
  const { policy: read } = await api.must(200).get(`${POLICIES}/${policy.id}`);
  const { policy: changed } = await api.must(200).patch(`${POLICIES}/${policy.id}`, { name: 'y' });
  const context = { workspaceId, source: 'rest', integrationName: 'nothing', actionName: 'of this' };
  const tested = await api.must(200).post(`${POLICIES}/test`, { policy: fields, context });
  for (const answer of [policy, listed, read, changed, tested]) expect(answer.warnings).toEqual(warnings);
});

test('fixing the policy removes the warning; undoing the fix restores the warning', async () => {
  const { api } = await checkedTenant();
  const { policy } = await api.must(200).post(POLICIES, { name: 'x' });
  const change = async (fields: object) => (await api.must(200).patch(`${POLICIES}/${policy.id}`, fields)).policy.warnings;
  expect(await change({ approvers: [ROLE] })).toEqual([]);
  expect(await change({ approvers: [WEBHOOK] })).toEqual([SELF]);
  expect(await change({ approvalAccessMode: 'dashboard_only' })).toEqual([]);
});

test('warnings are read-only; a policy can be tested as the API returned it', async () => {
  const { api, workspaceId } = await checkedTenant();
  const { policy } = await api.must(200).post(POLICIES, { name: 'x' });
  const refused = { status: 400, body: { code: 'VALIDATION_ERROR', details: { issues: [{ path: 'warnings' }] } } };
  expect(await api.post(POLICIES, { name: 'x', warnings: [] })).toMatchObject(refused);
  expect(await api.patch(`${POLICIES}/${policy.id}`, { name: 'y', warnings: [] })).toMatchObject(refused);
  const context = { workspaceId, source: 'rest', integrationName: 'a', actionName: 'b' };
  expect(await api.must(200).post(`${POLICIES}/test`, { policy, context })).toMatchObject({ matched: true, warnings: [SELF] });
});

test('a policy that restricts one MCP server warns about the other servers', async () => {
  const tenant = await checkedTenant();
  const server = await aServer(tenant, 'TOOLS', ['datetime']);
  const post = async (fields: object) =>
    (await tenant.api.must(200).post(POLICIES, { name: 'x', enabled: false, mcpServerIds: [server.id], ...fields })).policy.warnings;
  expect(await post({ decision: 'block' })).toEqual([OTHER_SERVER]);
  expect(await post({ decision: 'block', endUserMode: 'no_end_user', sources: ['mcp_tools'] })).toEqual([
    otherSource('rest, sdk, mcp_code'),
    OTHER_END_USER,
    OTHER_SERVER,
  ]);
  expect(await post({ decision: 'auto_approve' })).toEqual([]);
});

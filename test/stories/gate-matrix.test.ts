import { callerOf } from '../support/caller.ts';
import { aReceiver, type Receiver } from '../support/receiver.ts';
import { aPolicy, aServer, aTenant, type Tenant } from '../support/tenant.ts';

let tenant: Tenant;
let upstream: Receiver;
let hook: Receiver;
beforeEach(async () => {
  [tenant, upstream, hook] = await Promise.all([aTenant(), aReceiver(), aReceiver()]);
});
afterEach(async () => {
  await Promise.all([upstream.close(), hook.close()]);
});

type Decision = 'block' | 'require_approval' | 'notify_only' | 'auto_approve';
type Ended = 'ran' | 'blocked' | 'waits';
/** `policyId` is the policy that has already held the call or the plan of its run. */
interface Ready {
  policyId?: string;
  make(): Promise<Ended>;
}

const input = () => ({ method: 'POST', url: `${upstream.url}/effect` });

const byRest = (headers: Record<string, string> = {}) => ({
  make: async (): Promise<Ended> => {
    const call = { workspaceId: tenant.workspaceId, integrationName: 'http', actionName: 'send_request', input: input() };
    const { status } = await tenant.api.post('/api/v1/actions/execute', call, headers);
    return ({ 200: 'ran', 202: 'waits', 403: 'blocked' } as const)[status as 200]!;
  },
});

async function byTool(): Promise<Ready> {
  const { id, token } = await aServer(tenant, 'TOOLS', ['http']);
  const params = { name: 'http__send_request', arguments: input() };
  return {
    make: async () => {
      const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      const text = JSON.stringify((await callerOf(tenant.apiUrl, token).post(`/mcp/srv_${id}`, request)).body);
      return text.includes('APPROVAL_POLICY_BLOCKED') ? 'blocked' : text.includes('approval_required') ? 'waits' : 'ran';
    },
  };
}

// The action's name is computed at run time, so no plan covers the call.
const UNFORESEEN = "[atob('c2VuZF9yZXF1ZXN0')]";

async function byRun(action: string) {
  const { id } = await aServer(tenant, 'CODE', ['http']);
  const code = `try { return (await svc.http${action}(${JSON.stringify(input())})).status } catch (error) { return error.code }`;
  const execute = async (body: object): Promise<{ ended: Ended; approvalId: string }> => {
    const { structuredContent: said } = await tenant.api.must(200).post(`/api/v1/mcp/servers/${id}/execute-code`, body);
    const ended = said.status !== 'executed' ? 'waits' : said.output === 200 ? 'ran' : 'blocked';
    return { ended, approvalId: said.approval?.id };
  };
  return { execute, code };
}

async function approvedRun(action: string, meanwhile = async () => {}): Promise<Ready> {
  const { execute, code } = await byRun(action);
  const { id: policyId } = await aPolicy(tenant, { integrationNames: ['http'] });
  const { ended, approvalId } = await execute({ code });
  expect(ended).toBe('waits');
  await tenant.api.must(200).post(`/api/v1/approvals/${approvalId}/approve`);
  await meanwhile();
  return { policyId, make: async () => (await execute({ approvalId })).ended };
}

const changeInput = () =>
  tenant.api.must(201).post('/api/v1/partials', {
    ...{ workspaceId: tenant.workspaceId, integrationName: 'http', actionName: 'send_request', name: 'preset' },
    ...{ values: { headers: { 'x-preset': '1' } }, isDefault: true },
  });

const HELD = 'a held call that was approved';

const KINDS: [kind: string, source: string, isApproved: boolean, ready: () => Promise<Ready>][] = [
  ['a REST call', 'rest', false, async () => byRest()],
  ['a call from the SDK', 'sdk', false, async () => byRest({ 'x-svc-source': 'sdk' })],
  ['a call of an MCP tool', 'mcp_tools', false, byTool],
  [
    'a call of a run',
    'mcp_code',
    false,
    async () => {
      const { execute, code } = await byRun(UNFORESEEN);
      return { make: async () => (await execute({ code })).ended };
    },
  ],
  ['a call of a run with an approved plan', 'mcp_code', true, () => approvedRun('.send_request')],
  [HELD, 'mcp_code', true, () => approvedRun(UNFORESEEN)],
  ['a held call whose input changed after the approval', 'mcp_code', false, () => approvedRun(UNFORESEEN, changeInput)],
];

/** Returns the expected outcome. An earlier approval satisfies `require_approval`. */
function expected(decision: Decision, isApproved: boolean) {
  const byPolicy = { status: 'consumed', decidedByType: 'policy' };
  if (decision === 'block') return { ended: 'blocked', records: [], told: 0, activity: 'call.blocked' };
  if (decision === 'auto_approve') return { ended: 'ran', records: [byPolicy], told: 0, activity: 'call.let_through' };
  if (decision === 'notify_only') return { ended: 'ran', records: [byPolicy], told: 1, activity: 'call.let_through' };
  if (isApproved) return { ended: 'ran', records: [], told: 0, activity: 'approval.consumed' };
  return { ended: 'waits', records: [{ status: 'pending', decidedByType: null }], told: 1, activity: 'approval.requested' };
}

describe.each(KINDS)('%s', (kind, source, isApproved, ready) => {
  test.each(['block', 'require_approval', 'notify_only', 'auto_approve'] as const)('under %s', async (decision) => {
    const { policyId, make } = await ready();
    const list = async () => (await tenant.api.must(200).get('/api/v1/approvals')).approvals as { id: string }[];
    const before = new Set((await list()).map(({ id }) => id));
    const { activity: trailBefore } = await tenant.api.must(200).get('/api/v1/activity?limit=1');
    const policy = { decision, approvers: [{ type: 'webhook', webhookUrl: hook.url }] };
    if (policyId) await tenant.api.must(200).patch(`/api/v1/approval-policies/${policyId}`, policy);
    const decidedBy = policyId ?? (await aPolicy(tenant, { integrationNames: ['http'], ...policy })).id;

    const want = expected(decision, isApproved);
    expect(await make()).toBe(want.ended);
    expect(upstream.received).toHaveLength(want.ended === 'ran' ? 1 : 0);
    const records = (await list()).filter(({ id }) => !before.has(id));
    expect(records).toMatchObject(want.records.map((record) => ({ ...record, policyId: decidedBy, source })));
    const { activity } = await tenant.api.must(200).get('/api/v1/activity?limit=100');
    const trail = activity.filter(({ id, type }: { id: number; type: string }) => id > (trailBefore[0]?.id ?? 0) && type === want.activity);
    expect(trail).toMatchObject([{ policyId: decidedBy, actionName: 'send_request', ...(records[0] && { approvalId: records[0].id }) }]);

    // This call always sends a notification. An unwanted notification about the call above would
    // be due earlier, so it would most likely arrive earlier.
    await aPolicy(tenant, { decision: 'notify_only', priority: 0, approvers: policy.approvers, sources: ['rest'] });
    await byRest().make();
    const told = (await hook.has(want.told + 1)).map(({ body }) => JSON.parse(body));
    expect(told).toHaveLength(want.told + 1);
    const aboutThis = told.filter(({ approval }) => records.some(({ id }) => id === approval.id));
    expect(aboutThis.map(({ event }) => event)).toEqual(want.told ? ['approval.requested'] : []);

    // The approval of a held call is consumed, even if its policy admits the call now.
    const isUsed = want.ended === 'ran' && isApproved && (decision === 'require_approval' || kind === HELD);
    const statuses = await Promise.all([...before].map((id) => tenant.api.must(200).get(`/api/v1/approvals/${id}`)));
    expect(statuses.map(({ approval }) => approval.status)).toEqual([...before].map(() => (isUsed ? 'consumed' : 'approved')));
  });
});

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { judgeRedirects } from '../../../commands/calls/judge-redirects.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import type { Call } from '../../../domain/call.ts';
import type { Model } from '../../../infra/model.ts';
import { openOutbound } from '../../../infra/outbound.ts';
import { type ApiBed, openApiBed } from '../../api/api-bed.ts';
import { checkedTenant } from '../../api/checked-caller.ts';
import { aPolicy, aServer } from '../../support/tenant.ts';

/** The names 127.0.0.1 and localhost count as two hosts. */
const visited: string[] = [];
const server = createServer((request, response) => {
  const { host, pathname, searchParams } = new URL(request.url!, `http://${request.headers.host}`);
  visited.push(`${host.split(':')[0]}${pathname}`);
  const to = searchParams.get('to');
  if (to) response.writeHead(302, { location: to }).end();
  else response.setHeader('content-type', 'text/plain').end(`here is ${pathname}`);
});

let bed: ApiBed;
let port: number;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  bed = await openApiBed();
});
afterAll(async () => {
  await bed.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  visited.length = 0;
});

const at = (host: string, path: string) => `http://${host}:${port}${path}`;
const there = () => at('localhost', '/there');
const redirecting = (to = there()) => at('127.0.0.1', `/from?to=${encodeURIComponent(to)}`);

let workspaces = 0;
async function aWorkspaceWith(policies: object[]) {
  const slug = `judged-${++workspaces}`;
  const { workspace } = await bed.api.must(201).post('/api/v1/workspaces', { name: slug, slug });
  const ids: string[] = [];
  for (const [index, fields] of policies.entries()) {
    const body = { name: `Policy ${index + 1}`, workspaceId: workspace.id, priority: 100 + index, ...fields };
    ids.push((await bed.api.must(200).post('/api/v1/approval-policies', body)).policy.id);
  }
  const execute = async (integrationName: string, actionName: string, input: object) =>
    (await bed.api.post('/api/v1/actions/execute', { workspaceId: workspace.id, integrationName, actionName, input })).body;
  return {
    ids,
    workspaceId: workspace.id as string,
    send: (url: string) => execute('http', 'send_request', { method: 'GET', url, followRedirects: true }),
    read: (url: string) => execute('web-reader', 'fetch_as_text', { url }),
    readAll: (...urls: string[]) => execute('web-reader', 'fetch_multiple', { urls, format: 'text' }),
  };
}

const about = (host: string) => ({ domainDenylist: [host] });

describe('a redirect to another host', () => {
  test('is refused and not sent if a policy blocks calls to that host', async () => {
    const { ids, send, read, readAll } = await aWorkspaceWith([{ decision: 'block', rules: about('localhost') }]);
    expect(await send(there())).toMatchObject({ code: 'APPROVAL_POLICY_BLOCKED' });
    for (const call of [send, read])
      expect(await call(redirecting())).toMatchObject({
        code: 'ACTION_FAILED',
        error: `The redirect to localhost:${port} was not followed: the policy "Policy 1" blocks calls to it. Call the final address directly; the policy then judges that call.`,
        details: { reason: 'redirect_refused', policyId: ids[0], location: there() },
      });
    expect((await readAll(redirecting(), at('127.0.0.1', '/other'))).output.results).toMatchObject([
      { ok: false, error: expect.stringContaining('"Policy 1"') },
      { ok: true, page: { content: 'here is /other' } },
    ]);
    expect(visited.filter((place) => place.startsWith('localhost'))).toEqual([]);
  });

  test('is refused if a policy requires an approval that the call does not have', async () => {
    const { ids, send, read } = await aWorkspaceWith([{ decision: 'require_approval', rules: { domainAllowlist: ['127.0.0.1'] } }]);
    for (const call of [send, read])
      expect(await call(redirecting())).toMatchObject({
        code: 'ACTION_FAILED',
        error: expect.stringContaining('"Policy 1" asks for an approval that this call does not have'),
        details: { policyId: ids[0] },
      });
    expect(await send(there())).toMatchObject({ status: 'approval_required' });
    expect(visited).toEqual(['127.0.0.1/from', '127.0.0.1/from']);
  });

  test('is also checked if it follows a redirect within the first host', async () => {
    const { send } = await aWorkspaceWith([{ decision: 'block', rules: about('localhost') }]);
    const inside = at('127.0.0.1', `/second?to=${encodeURIComponent(at('localhost', `/third?to=${encodeURIComponent(redirecting())}`))}`);
    expect(await send(redirecting(inside))).toMatchObject({ code: 'ACTION_FAILED', details: { reason: 'redirect_refused' } });
    expect(visited).toEqual(['127.0.0.1/from', '127.0.0.1/second']);
  });

  test('is checked even if a policy trusts the requested host', async () => {
    for (const trusting of ['auto_approve', 'notify_only']) {
      const { ids, send } = await aWorkspaceWith([
        { decision: trusting, rules: about('127.0.0.1') },
        { decision: 'require_approval', riskMode: 'always' },
      ]);
      expect(await send(redirecting())).toMatchObject({ code: 'ACTION_FAILED', details: { policyId: ids[1] } });
    }
  });

  test('is followed if the only policy that matches it was satisfied by the approval of the call', async () => {
    for (const [more, expected] of [
      [[], { output: { body: 'here is /there' } }],
      [[{ decision: 'block', rules: about('localhost'), priority: 1 }], { code: 'ACTION_FAILED' }],
    ] as const) {
      const { send } = await aWorkspaceWith([{ decision: 'require_approval', actionNames: ['send_request'] }, ...more]);
      const { approval } = await send(redirecting());
      await bed.api.must(200).post(`/api/v1/approvals/${approval.id}/approve`);
      expect(await send(redirecting())).toMatchObject(expected);
    }
  });

  test('is followed if no policy objects', async () => {
    const { send, read } = await aWorkspaceWith([{ decision: 'block', rules: about('example.com') }]);
    expect((await send(redirecting())).output.body).toBe('here is /there');
    expect((await read(redirecting())).output).toMatchObject({ url: there(), content: 'here is /there' });
  });
});

test('policies are not evaluated again for a redirect within the same host', async () => {
  let asked = 0;
  const policies = {
    of: async (): Promise<never> => {
      asked += 1;
      throw new Error('asked');
    },
  };
  const outbound = openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] });
  const judged = judgeRedirects({ outbound, policies } as unknown as Gateway, { input: {} } as Call);
  for (const url of [at('127.0.0.1', '/x'), redirecting(at('127.0.0.1', '/y')), redirecting('/z')])
    expect(await judged.request({ url, redirects: 5 })).toMatchObject({ status: 200 });
  expect(asked).toBe(0);
  await expect(judged.request({ url: redirecting(), redirects: 5 })).rejects.toThrow('asked');
  await outbound.close();
});

test('a redirect with a low risk score is followed and recorded with its host only', async () => {
  const { ids, workspaceId } = await aWorkspaceWith([{ riskMode: 'model_assisted' }]);
  const model = { ask: async () => ({ score: 0.1, steered: false, reason: 'a page' }), close: async () => {} } as unknown as Model;
  const call = { orgId: bed.orgId, workspaceId, input: { url: redirecting() }, hiddenPaths: [], endUserId: null, source: 'rest' };
  const asked = { integrationName: 'http', actionName: 'send_request', category: 'read', requestedBy: { type: 'api_key', id: null } };
  const judged = judgeRedirects({ ...bed.gateway, model }, { ...call, ...asked } as unknown as Call);
  expect(await judged.request({ url: redirecting(at('localhost', '/there?token=zq')), redirects: 5 })).toMatchObject({ status: 200 });
  const { activity } = await bed.api.must(200).get(`/api/v1/activity?workspaceId=${workspaceId}&type=call.let_through`);
  expect(activity).toMatchObject([{ policyId: ids[0], callId: null, details: { redirectedTo: `localhost:${port}`, riskScore: 0.1 } }]);
  expect(JSON.stringify(activity)).not.toContain('zq');
});

test('redirects of a call in a code run are checked in the same way', async () => {
  const tenant = await checkedTenant();
  const { id } = await aServer(tenant, 'CODE', ['http']);
  await aPolicy(tenant, { name: 'Not there', decision: 'block', rules: about('localhost') });
  const code = `try { return await svc.http.send_request({ method: 'GET', url: ${JSON.stringify(redirecting())}, followRedirects: true }); }
    catch (error) { return [error.code, error.message]; }`;
  const { structuredContent } = await tenant.api.must(200).post(`/api/v1/mcp/servers/${id}/execute-code`, { code });
  expect(structuredContent.output).toEqual(['ACTION_FAILED', expect.stringContaining('the policy "Not there" blocks calls to it')]);
  expect(visited).toEqual(['127.0.0.1/from']);
});

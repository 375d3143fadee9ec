import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../api/app.ts';
import { openServer } from '../../api/open-server.ts';
import { openGateway } from '../../composition/open-gateway.ts';
import { type ApiBed, openApiBed } from '../api/api-bed.ts';
import { type Caller, callerOf } from '../support/caller.ts';
import { aReceiver } from '../support/receiver.ts';
import { aPolicy, aServer, aTenant } from '../support/tenant.ts';

const POLICIES = '/api/v1/approval-policies';

/** Each replica has its own caches in memory. */
let one: ApiBed;
let other: { apiUrl: string; api: Caller };
let close: () => Promise<void>;
beforeAll(async () => {
  one = await openApiBed();
  const gateway = openGateway(one.gateway.config, 'api');
  const server = openServer(createApp(gateway).callback(), gateway.logger).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  other = { apiUrl, api: callerOf(apiUrl, one.plainKey) };
  close = async () => {
    server.close();
    server.closeAllConnections();
    await gateway.close();
    await one.close();
  };
});
afterAll(() => close());

const call = { integrationName: 'hash-encode', actionName: 'generate_uuid' };

test('a policy change on one replica applies to the next call on another replica', async () => {
  const { workspaceId } = one;
  await one.api.must(201).post(`/api/v1/workspaces/${workspaceId}/integrations`, { integrationName: 'hash-encode' });
  const { server, bearerToken } = await one.api
    .must(201)
    .post('/api/v1/mcp/servers', { name: 's', workspaceId, mode: 'TOOLS', authMode: 'bearer' });
  const mcp = callerOf(other.apiUrl, bearerToken);
  const overRest = async () => (await other.api.post('/api/v1/actions/execute', { workspaceId, ...call })).status;
  const overMcp = async () => {
    const params = { name: 'hash-encode__generate_uuid', arguments: {} };
    const { body } = await mcp.post(`/mcp/srv_${server.id}`, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    return body.result.structuredContent?.status ?? body.result.structuredContent?.code ?? 'ran';
  };
  const both = async () => [await overRest(), await overMcp()];

  expect(await both()).toEqual([200, 'ran']);
  const { policy } = await one.api.must(200).post(POLICIES, { name: 'Now' });
  expect(await both()).toEqual([202, 'approval_required']);
  await one.api.must(200).patch(`${POLICIES}/${policy.id}`, { decision: 'block' });
  expect((await both())[0]).toBe(403);
  await one.api.must(200).delete(`${POLICIES}/${policy.id}`);
  expect(await both()).toEqual([200, 'ran']);
});

test('each of many policies that one replica creates gates the next call on another replica', async () => {
  const { workspaceId } = one;
  for (let round = 0; round < 20; round += 1) {
    const { policy } = await one.api.must(200).post(POLICIES, { name: `Round ${round}`, workspaceId });
    expect((await other.api.post('/api/v1/actions/execute', { workspaceId, ...call })).body.approval?.policyId).toBe(policy.id);
    await one.api.must(200).delete(`${POLICIES}/${policy.id}`);
    expect((await other.api.post('/api/v1/actions/execute', { workspaceId, ...call })).status).toBe(200);
  }
});

test('a policy created by the API gates the next call of a running code run in the worker', async () => {
  const [tenant, upstream] = [await aTenant(), await aReceiver()];
  const { id } = await aServer(tenant, 'CODE', ['http']);
  const execute = async (body: object) =>
    (await tenant.api.must(200).post(`/api/v1/mcp/servers/${id}/execute-code`, body)).structuredContent;
  // The plan cannot predict the second request, so no approval is requested in advance.
  const code = `const { body } = await svc.http.send_request({ method: 'GET', url: '${upstream.url}/first' });
    return (await svc.http[body.action]({ method: 'POST', url: '${upstream.url}/second' })).status;`;
  upstream.answerWith(() => ({ status: 200, body: '{"action":"send_request"}' }));
  expect((await execute({ code })).output).toBe(200);

  upstream.answerWith(async ({ path }) => {
    if (path === '/first') await aPolicy(tenant, { name: 'Meanwhile' });
    return { status: 200, body: '{"action":"send_request"}' };
  });
  expect((await execute({ code })).status).toBe('approval_required');
  expect(upstream.received.map(({ path }) => path)).toEqual(['/first', '/second', '/first']);
  await upstream.close();
});

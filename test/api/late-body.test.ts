import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { BODY_MOMENT_MS } from '../../api/middleware/read-body-of.ts';
import type { Tokens } from '../../infra/tokens.ts';
import { callerOf } from '../support/caller.ts';
import { type ApiBed, openApiBed } from './api-bed.ts';

let bed: ApiBed;
let tool: { url: string; id: string; bearerToken: string };
let realHash: Tokens['hash'];
let hash: jest.Spied<Tokens['hash']>;
beforeAll(async () => {
  bed = await openApiBed();
  await bed.api.must(201).post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, { integrationName: 'datetime' });
  const { server, bearerToken } = await bed.api
    .must(201)
    .post('/api/v1/mcp/servers', { name: 'Agent', workspaceId: bed.workspaceId, authMode: 'bearer' });
  tool = { url: `/mcp/srv_${server.id}`, id: server.id, bearerToken };
  realHash = bed.gateway.tokens.hash;
  hash = jest.spyOn(bed.gateway.tokens, 'hash');
});
afterAll(() => bed?.close());

const INPUT = { dateString: '2026-01-01' };
const restCall = () => ({ integrationName: 'datetime', actionName: 'parse_date', workspaceId: bed.workspaceId, input: INPUT });
const MCP_CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'datetime__parse_date', arguments: INPUT } };

/** Sends the body late: the service checks the credential, and then `meanwhile` runs. */
async function sendLate(path: string, credential: string, body: object, meanwhile: () => Promise<unknown>) {
  const text = JSON.stringify(body);
  const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  const isRead = nextHash();
  const sent = request(`${bed.apiUrl}${path}`, { method: 'POST', headers });
  sent.write(text.slice(0, 5));
  await isRead;
  await meanwhile();
  await delay(2 * BODY_MOMENT_MS);
  return answerTo(sent.end(text.slice(5)));
}

async function answerTo(sent: ClientRequest) {
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, body: await json(answer) };
}

function nextHash(): Promise<void> {
  return new Promise((resolve) => {
    hash.mockImplementationOnce((token) => {
      resolve();
      return realHash(token);
    });
  });
}

async function blocking(): Promise<{ id: string }> {
  const policy = { name: 'Never', integrationNames: ['datetime'], decision: 'block' };
  return (await bed.api.must(200).post('/api/v1/approval-policies', policy)).policy;
}

test("a policy created between a call's headers and body applies to the call", async () => {
  for (const [path, credential, body] of [
    ['/api/v1/actions/execute', bed.plainKey, restCall()],
    [tool.url, tool.bearerToken, MCP_CALL],
  ] as const) {
    // This call makes the service cache the current policies.
    await callerOf(bed.apiUrl, credential).must(200).post(path, body);
    let policy: { id: string } | undefined;
    const answer = await sendLate(path, credential, body, async () => {
      policy = await blocking();
    });
    expect(JSON.stringify(answer.body)).toContain('APPROVAL_POLICY_BLOCKED');
    await bed.api.must(200).delete(`/api/v1/approval-policies/${policy!.id}`);
  }
});

test("a credential revoked between a request's headers and body is refused", async () => {
  const { apiKey, plainKey } = await bed.api.must(200).post('/api/v1/api-keys', { name: 'Leaving' });
  const revokeKey = () => bed.api.must(200).delete(`/api/v1/api-keys/${apiKey.id}`);
  const overRest = await sendLate('/api/v1/actions/execute', plainKey, restCall(), revokeKey);
  expect(overRest).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
  const renewToken = () => bed.api.must(200).post(`/api/v1/mcp/servers/${tool.id}/regenerate-token`);
  const overMcp = await sendLate(tool.url, tool.bearerToken, MCP_CALL, renewToken);
  expect(overMcp).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
});

test('if the body arrives together with the headers, the credential is looked up only once', async () => {
  const looks: number[] = [];
  for (let call = 0; call < 10; call += 1) {
    hash.mockClear();
    await bed.api.must(200).post('/api/v1/actions/execute', restCall());
    looks.push(hash.mock.calls.length);
  }
  // The minimum counts, because a body can arrive late on a busy machine.
  expect(Math.min(...looks)).toBe(1);
});

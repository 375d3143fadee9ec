import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addIntegration, addPolicy, anOrg, aServer } from './mcp-bed.ts';

async function aServerWith(integrationName: string, fields: object = {}) {
  const org = await anOrg();
  await addIntegration(org, integrationName, fields);
  return { org, server: await aServer(org) };
}

test('a result contains its output as text; if the output is an object, also as structured content', async () => {
  const { server } = await aServerWith('hash-encode');
  const result = await server.call('hash-encode__encode', { text: 'hi', encoding: 'hex' });
  expect(result).toMatchObject({ isError: false, structuredContent: { encoded: '6869' } });
  expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
});

test('the result for invalid arguments names unknown keys, missing keys and allowed values', async () => {
  const { server } = await aServerWith('hash-encode');
  const result = await server.call('hash-encode__hash', { txt: 'hi', algorithm: 'md5' });
  expect(result.isError).toBe(true);
  const [{ text }] = result.content;
  expect(text).toContain('unknown key "txt"');
  expect(text).toContain('missing key "text"');
  expect(text).toContain('"sha256"');
  expect(result.structuredContent.error).toMatchObject({
    code: 'VALIDATION_ERROR',
    details: { issues: expect.arrayContaining([expect.objectContaining({ path: 'txt' })]) },
  });
});

test('the result of a failed action contains its code and message', async () => {
  const { server } = await aServerWith('datetime');
  const result = await server.call('datetime__parse_date', { dateString: 'not a date at all' });
  expect(result).toMatchObject({ isError: true, structuredContent: { status: 'failed', error: { code: 'ACTION_FAILED' } } });
  expect(result.content[0].text).toMatch(/^ACTION_FAILED: /);
});

test.each([['nope'], ['__proto__'], ['constructor'], ['']])('the unknown tool %p answers the JSON-RPC error -32602', async (name) => {
  const { server } = await aServerWith('datetime');
  const { status, body } = await server.rpc('tools/call', { name, arguments: {} });
  expect(status).toBe(200);
  expect(body.error.code).toBe(-32602);
});

test('the result of a blocked call has the code APPROVAL_POLICY_BLOCKED', async () => {
  const { org, server } = await aServerWith('hash-encode');
  await addPolicy(org, { name: 'No hashing', decision: 'block', actionNames: ['hash'] });
  const result = await server.call('hash-encode__hash', { text: 'hi' });
  expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'APPROVAL_POLICY_BLOCKED' } } });
  expect((await server.call('hash-encode__encode', { text: 'hi', encoding: 'hex' })).isError).toBe(false);
});

test('a call that needs approval does not run; after the approval, the repeated call runs exactly once', async () => {
  let received = 0;
  const target = createServer((_, response) => response.end(JSON.stringify({ received: ++received }))).listen(0, '127.0.0.1');
  const { org, server } = await aServerWith('http');
  await addPolicy(org, { integrationNames: ['http'] });
  const send = (body = 'hello') =>
    server.call('http__send_request', {
      method: 'POST',
      url: `http://127.0.0.1:${(target.address() as AddressInfo).port}/`,
      body_type: 'raw',
      body,
    });

  const gated = await send();
  expect(gated).toMatchObject({
    isError: false,
    structuredContent: {
      status: 'approval_required',
      view: 'approval_required',
      title: expect.any(String),
      description: expect.any(String),
      approval: {
        id: expect.stringMatching(/^apr_/),
        hostedApprovalUrl: expect.stringContaining('/approve/apr_'),
        expiresAt: expect.any(String),
      },
      links: [{ kind: 'approval', label: expect.any(String), url: expect.stringContaining('token=apr_link_v1_'), primary: true }],
      continuation: { tool: 'http__send_request', sameArguments: true },
    },
  });
  expect(gated.content[0].text).toContain(gated.structuredContent.approval.hostedApprovalUrl);
  expect((await send()).structuredContent.approval.id).toBe(gated.structuredContent.approval.id);
  expect(received).toBe(0);

  const decided = await org.rest('POST', `/approvals/${gated.structuredContent.approval.id}/approve`);
  expect(decided.status).toBe(200);
  expect((await send()).structuredContent).toMatchObject({ status: 200 });
  expect(received).toBe(1);
  expect((await send()).structuredContent.status).toBe('approval_required');
  target.close();
});

test('repeating a rejected call creates a new approval', async () => {
  const { org, server } = await aServerWith('datetime');
  await addPolicy(org, { actionNames: ['parse_date'] });
  const call = () => server.call('datetime__parse_date', { dateString: '2026-01-01' });
  const first = (await call()).structuredContent.approval.id;
  await org.rest('POST', `/approvals/${first}/reject`, { reason: 'no' });
  const second = (await call()).structuredContent;
  expect(second.status).toBe('approval_required');
  expect(second.approval.id).not.toBe(first);
});

import { ROUTES } from '../../api/routes.ts';
import { ERROR_LIMITS } from '../../domain/limits.ts';
import type { ApiAnswer } from '../support/caller.ts';
import type { Tenant } from '../support/tenant.ts';
import { checkedTenant } from './checked-caller.ts';
import { addIntegration, anOrg, aServer, type TestServer } from './mcp/mcp-bed.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';
const ANSWER_MAX_BYTES = 100_000;
const { sentenceMaxLength, maxIssues, pathMaxLength } = ERROR_LIMITS;

let tenant: Tenant;
beforeAll(async () => {
  tenant = await checkedTenant();
});

/** Adds unknown keys. By default, they are more than a request body may have. */
const unknownKeys = (base: object = {}, count = 45_000) => ({
  ...base,
  ...Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 1])),
});
/** Adds almost as many keys as a request body may have. */
const manyKeys = (base: object = {}) => unknownKeys(base, 9000);

function expectBounded({ body }: ApiAnswer): void {
  expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(ANSWER_MAX_BYTES);
  expect(body.error.length).toBeLessThanOrEqual(sentenceMaxLength);
  expect(JSON.stringify(body).isWellFormed()).toBe(true);
  const issues: { path: string; message: string }[] = body.details?.issues ?? [];
  expect(issues.length).toBeLessThanOrEqual(maxIssues);
  for (const { path, message } of issues) expect([path.length <= pathMaxLength, message.length <= sentenceMaxLength]).toEqual([true, true]);
}

test.each(ROUTES.filter(({ body }) => body).map((route) => [route.method, route.path, route] as const))(
  '%s %s answers 45,000 unknown keys with a short error that counts the omitted keys',
  async (method, path, { body: schema }) => {
    const inPath = path.replace('{workspaceId}', tenant.workspaceId).replace(/\{\w+\}/g, NOBODY);
    const answer = await tenant.api[method as 'post'](inPath, unknownKeys());
    expectBounded(answer);
    if (answer.status === 404) return;
    expect([answer.status, schema!.safeParse(unknownKeys()).success]).toEqual([400, false]);
    const { issues, issuesOmitted } = answer.body.details;
    expect(issues).toHaveLength(maxIssues);
    expect(issuesOmitted).toBeGreaterThanOrEqual(45_000 - maxIssues);
    expect(answer.body.error).toMatch(/and \d+ more$/);
  },
);

const LONG = '😀'.repeat(200_000);
const EXECUTE = '/api/v1/actions/execute';
const execute = (actionName: string, input: object, integrationName = 'hash-encode') =>
  tenant.api.post(EXECUTE, { integrationName, actionName, workspaceId: tenant.workspaceId, input });

test.each<[string, () => Promise<ApiAnswer>]>([
  ['a body with very long names', () => tenant.api.post('/api/v1/workspaces', { [LONG]: 1, [`x${LONG.slice(0, 200_000)}`]: 1 })],
  ['a very long value that the error quotes', () => execute('hash', { text: 'a', algorithm: LONG })],
  ['an integration with a very long name', () => execute('x', {}, LONG)],
  ['a deeply nested key', () => execute('hash', JSON.parse(`${`{"${'k'.repeat(10_000)}":`.repeat(50)}1${'}'.repeat(50)}`))],
  ['an action with unknown inputs', () => execute('hash', manyKeys({ text: 'a' }))],
  ['wrong list items', () => tenant.api.post('/api/v1/api-keys', { name: 'k', permissions: { workspaceIds: Array(40_000).fill('x') } })],
  ['a connection of an unknown type with many unknown keys', () => tenant.api.post('/api/v1/connections', manyKeys({ type: 'nothing' }))],
  ['a very long invalid date', () => execute('parse_date', { dateString: LONG }, 'datetime')],
  ['a missing file', () => execute('read_file', { path: 'p'.repeat(1000) }, 'storage')],
  [
    'a query of many unknown keys',
    () => tenant.api.get(`/api/v1/workspaces?${Array.from({ length: 900 }, (_, n) => `k${n}=1`).join('&')}`),
  ],
  ['an error of a program', () => execute('run_code', { code: `throw new Error('${'e'.repeat(100_000)}')` }, 'code')],
])('%s gets a short error', async (_, send) => {
  const answer = await send();
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
  expectBounded(answer);
});

test('a connection without a type and with many unknown keys delays no other request for long', async () => {
  let longestMs = 0;
  let isDone = false;
  const refused = tenant.api.post('/api/v1/connections', manyKeys()).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const startedAt = performance.now();
    await tenant.api.get('/api/v1/workspaces?limit=1');
    longestMs = Math.max(longestMs, performance.now() - startedAt);
  }
  expect((await refused).status).toBe(400);
  // The bound is generous, because the machine can be busy.
  expect(longestMs).toBeLessThan(10_000);
});

test('a policy test reports in a few words why the action would refuse the input', async () => {
  const context = {
    workspaceId: tenant.workspaceId,
    source: 'rest',
    integrationName: 'hash-encode',
    actionName: 'hash',
    input: manyKeys(),
  };
  const { reasons } = await tenant.api.must(200).post('/api/v1/approval-policies/test', { policy: { name: 'p' }, context });
  expect(JSON.stringify(reasons).length).toBeLessThan(2000);
  expect(reasons.at(-1)).toMatch(/and \d+ more$/);
});

describe('over MCP', () => {
  let tools: TestServer;
  let code: TestServer;
  beforeAll(async () => {
    const org = await anOrg();
    await addIntegration(org, 'hash-encode');
    [tools, code] = await Promise.all([aServer(org, 'TOOLS'), aServer(org, 'CODE')]);
  });

  test.each<[string, () => TestServer, string, object]>([
    ['a tool', () => tools, 'hash-encode__hash', manyKeys()],
    ['svc_search', () => code, 'svc_search', manyKeys()],
    ['svc_execute', () => code, 'svc_execute', manyKeys()],
    ['svc_read_api', () => code, 'svc_read_api', { alias: LONG }],
  ])('%s refuses invalid arguments with a short error', async (_, server, name, input) => {
    const result = await server().call(name, input);
    expect(result.isError).toBe(true);
    expect(result.content[0].text.length).toBeLessThanOrEqual(sentenceMaxLength);
    expect(result.structuredContent.error.message.length).toBeLessThanOrEqual(sentenceMaxLength);
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(ANSWER_MAX_BYTES);
    expect(JSON.stringify(result).isWellFormed()).toBe(true);
  });

  test.each<[string, object]>([
    ['a tool with a long name', { method: 'tools/call', params: { name: LONG, arguments: {} } }],
    ['a tool name cut within a surrogate pair', { method: 'tools/call', params: { name: `${'x'.repeat(99)}😀`, arguments: {} } }],
    ['a method with a long name', { method: LONG }],
    ['parameters of the wrong type', { method: 'tools/call', params: { name: [LONG], arguments: Array(10_000).fill('x') } }],
    ['initialize with invalid parameters', { method: 'initialize', params: manyKeys() }],
  ])('%s gets a short JSON-RPC error', async (_, message) => {
    const { body } = await tools.post({ jsonrpc: '2.0', id: 1, ...message });
    expect(body.error.message.length).toBeLessThanOrEqual(sentenceMaxLength);
    expect(body.error.message.isWellFormed()).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(ANSWER_MAX_BYTES);
  });

  test('a program gets a short error if its call is refused', async () => {
    const program = `
      const input = {}; for (let n = 0; n < 40000; n++) input['k' + n] = 1;
      try { await svc.hash_encode.hash(input) } catch (error) { return { code: error.code, message: error.message } }`;
    const { structuredContent } = await code.call('svc_execute', { code: program });
    expect(structuredContent.output).toMatchObject({ code: 'VALIDATION_ERROR', message: expect.stringMatching(/and \d+ more$/) });
    expect(structuredContent.output.message.length).toBeLessThanOrEqual(sentenceMaxLength);
  });
});

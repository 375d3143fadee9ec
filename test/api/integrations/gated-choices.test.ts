import { aReceiver, type Receiver } from '../../support/receiver.ts';
import type { ApiBed } from '../api-bed.ts';
import { openChatBed } from './chat.ts';
import { CREATE_TASK, I, importTasks, tasksAt } from './own/own-bed.ts';

let bed: ApiBed;
let thirdParty: Receiver;
let callTool: (name: string, input: object) => Promise<{ isError: boolean; content: { text: string }[]; structuredContent: object }>;
beforeAll(async () => {
  thirdParty = await aReceiver();
  bed = await openChatBed(thirdParty.url);
  const account = { integrationName: 'chat', externalId: 'main', type: 'SECRET_TEXT', secretText: 'secret' };
  const { connection } = await bed.api.must(201).post('/api/v1/connections', account);
  const instance = { integrationName: 'chat', connectionId: connection.id };
  await bed.api.must(201).post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, instance);
  const { server, bearerToken } = await bed.api
    .must(201)
    .post('/api/v1/mcp/servers', { name: 'Agent', workspaceId: bed.workspaceId, authMode: 'bearer' });
  callTool = async (name, input) => {
    const headers = { authorization: `Bearer ${bearerToken}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } });
    const answer = await fetch(`${bed.apiUrl}/mcp/srv_${server.id}`, { method: 'POST', headers, body });
    return JSON.parse(await answer.text()).result;
  };
});
afterAll(() => Promise.all([bed.close(), thirdParty.close()]));
beforeEach(() => {
  thirdParty.received.length = 0;
  thirdParty.answerWith(() => ({ status: 200, body: '[{"label":"#general","value":"C1"}]' }));
});

const options = (integrationName: string, fields: object) =>
  bed.api.post(`${I}/${integrationName}/properties/options`, { workspaceId: bed.workspaceId, ...fields });
const channels = () => options('chat', { actionName: 'send', propertyName: 'channel', input: { team: 'T1' } });

async function underPolicy(fields: object, work: (id: string) => Promise<void>): Promise<void> {
  const { policy } = await bed.api.must(200).post('/api/v1/approval-policies', { name: 'Gate', ...fields });
  try {
    await work(policy.id);
  } finally {
    await bed.api.must(200).delete(`/api/v1/approval-policies/${policy.id}`);
  }
}

test.each<[string, object]>([
  ['blocks the action', { actionNames: ['send'], decision: 'block' }],
  ['blocks actions of the category send', { rules: { actionCategories: ['send'] }, decision: 'block' }],
  ['blocks the list of choices by its name', { actionNames: ['list_channels'], decision: 'block' }],
  ['blocks all reads', { rules: { actionCategories: ['read'] }, decision: 'block' }],
  ['requires approval of everything', { decision: 'require_approval' }],
  ['requires approval of reads', { rules: { actionCategories: ['read'] }, decision: 'require_approval' }],
])('no choices are requested from the third party under a policy that %s', async (_, fields) => {
  await underPolicy(fields, async (policyId) => {
    expect((await channels()).body).toMatchObject({ code: 'APPROVAL_POLICY_BLOCKED', details: { policyId } });
    const helped = await callTool('chat__list_channels', { team: 'T1' });
    expect(helped.isError).toBe(true);
    expect(JSON.stringify(helped)).toContain('APPROVAL_POLICY_BLOCKED');
    expect(thirdParty.received).toEqual([]);
  });
});

test.each<[string, object]>([
  ['requires approval only of the action', { actionNames: ['send'], decision: 'require_approval' }],
  ['asks the model about risky calls', { riskMode: 'model_assisted', decision: 'require_approval' }],
  ['blocks something else', { actionNames: ['broken'], decision: 'block' }],
])('choices are listed under a policy that %s', async (_, fields) => {
  await underPolicy(fields, async () => {
    expect((await channels()).body.options).toEqual([{ label: '#general', value: 'C1' }]);
    expect(await callTool('chat__list_channels', { team: 'T1' })).toMatchObject({ isError: false });
  });
  expect(thirdParty.received).toHaveLength(2);
});

describe('choices of a custom integration', () => {
  const CHOOSING = {
    ...CREATE_TASK,
    dynamic: { title: { request: { path: '/titles' }, items: 'items', label: 'name', value: 'id' } },
  };
  const titles = (name: string) => options(name, { actionName: 'create_task', propertyName: 'title', input: {} });
  const documentWith = (create_task: object) => tasksAt(thirdParty.url, { actions: { create_task, other: CREATE_TASK } });

  beforeEach(() => thirdParty.answerWith(() => ({ status: 200, body: '{"items":[{"id":"t","name":"T"}]}' })));

  test('choices of a disabled action are not requested from the third party', async () => {
    await importTasks(bed, 'disabled', documentWith(CHOOSING));
    expect((await titles('disabled')).body.options).toEqual([{ label: 'T', value: 't' }]);
    await bed.api.must(200).patch(`${I}/disabled`, { actions: { create_task: { enabled: false } } });
    expect((await titles('disabled')).body.code).toBe('ACTION_NOT_ALLOWED');
    expect(thirdParty.received).toHaveLength(1);
  });

  test('choices of an action that was removed or that a pending change blocks are not requested', async () => {
    await importTasks(bed, 'waiting', documentWith(CHOOSING), { onChange: 'block' });
    await bed.api.must(200).post(`${I}/waiting/refresh`, { document: documentWith({ ...CHOOSING, description: 'Changed.' }) });
    expect((await titles('waiting')).body.code).toBe('ACTION_CHANGED');
    await bed.api.must(200).post(`${I}/waiting/refresh`, { document: tasksAt(thirdParty.url, { actions: { other: CREATE_TASK } }) });
    expect((await titles('waiting')).body).toMatchObject({ code: 'ACTION_FAILED', details: { reason: 'removed' } });
    expect(thirdParty.received).toEqual([]);
  });

  test.each<[string, object]>([
    ['a POST', { method: 'POST', path: '/tasks', json: { title: 'x' } }],
    ['a DELETE', { method: 'DELETE', path: '/tasks' }],
    ['a mutation', { method: 'POST', path: '/graphql', json: { query: 'mutation { deleteAll }' } }],
    [
      'a mutation after a query',
      { method: 'POST', path: '/graphql', json: { query: 'query a { b } mutation c { d }', operationName: 'c' } },
    ],
    ['a mutation after a comment', { method: 'POST', path: '/graphql', json: { query: 'query a { b } # "\nmutation c { d }' } }],
    ['a query with additional fields', { method: 'POST', path: '/graphql', json: { query: '{ a }', title: 'x' } }],
    ['a query that depends on an input', { method: 'POST', path: '/graphql', json: { query: '{ a } {input.title}' } }],
  ])('a document that requests choices by %s is invalid; the error names the line', async (_, request) => {
    const choosing = { ...CHOOSING, dynamic: { title: { ...CHOOSING.dynamic.title, request } } };
    const document = JSON.stringify(documentWith(choosing), null, 1);
    const refused = await bed.api.post(`${I}/import`, { kind: 'declarative', name: 'effect', document });
    const line = document.slice(0, document.indexOf('"method"', document.indexOf('"dynamic"'))).split('\n').length;
    expect(refused.body).toMatchObject({
      code: 'DOCUMENT_INVALID',
      details: {
        issues: [{ path: '/actions/create_task/dynamic/title/request/method', line, message: expect.stringContaining('only read') }],
      },
    });
  });

  test('choices that a GraphQL query requests are listed', async () => {
    const json = { query: 'query ($x: ID) { items(x: $x) { id name } }', variables: { x: '{input.title}' } };
    const choosing = {
      ...CHOOSING,
      dynamic: { title: { ...CHOOSING.dynamic.title, request: { method: 'POST', path: '/graphql', json } } },
    };
    await importTasks(bed, 'asked', documentWith(choosing));
    expect((await titles('asked')).body.options).toEqual([{ label: 'T', value: 't' }]);
  });
});

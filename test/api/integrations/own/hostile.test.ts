import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { aReceiver, type Receiver } from '../../../support/receiver.ts';
import { CREATE_TASK, GET_TASK, I, importTasks, type OwnBed, openOwnBed, tasksAt } from './own-bed.ts';

let bed: OwnBed;
let elsewhere: Receiver;
beforeAll(async () => {
  [bed, elsewhere] = await Promise.all([openOwnBed(), aReceiver()]);
});
afterAll(() => Promise.all([bed.close(), elsewhere.close()]));

test('after a redirect to another origin, the secrets for the fetch are not sent', async () => {
  elsewhere.answerWith(() => ({ status: 200, body: JSON.stringify(tasksAt(bed.thirdParty.url)) }));
  const redirecting = createServer((_, response) => response.writeHead(302, { location: `${elsewhere.url}/doc` }).end()).listen(
    0,
    '127.0.0.1',
  );
  await once(redirecting, 'listening');
  const url = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}/doc`;
  const secrets = { headers: { 'X-Team': 'team-secret' }, fetchAuth: { type: 'basic', username: 'me', password: 'pass-secret' } };
  await bed.api.must(201).post(`${I}/import`, { kind: 'declarative', name: 'redirected', url, ...secrets });
  redirecting.close();
  expect(elsewhere.received).toHaveLength(1);
  expect(JSON.stringify(elsewhere.received)).not.toMatch(/team-secret|authorization/);
});

test('a redirect to a private address is refused', async () => {
  const redirecting = createServer((_, response) => response.writeHead(302, { location: 'http://10.0.0.1/doc' }).end()).listen(
    0,
    '127.0.0.1',
  );
  await once(redirecting, 'listening');
  const url = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}/doc`;
  const refused = await bed.api.post(`${I}/import`, { kind: 'declarative', name: 'inside', url });
  redirecting.close();
  expect(refused.body.code).toBe('ADDRESS_NOT_ALLOWED');
});

test.each([
  ['the API itself', () => bed.gateway.config.baseUrl],
  ['the database of the API', () => `http://127.0.0.1:${new URL(bed.gateway.config.databaseUrl!).port}`],
])('a document is refused if its server is %s', async (_, url) => {
  const refused = await bed.api.post(`${I}/import`, { kind: 'declarative', name: 'loop', document: tasksAt(url()) });
  expect(refused.body.code).toBe('ADDRESS_NOT_ALLOWED');
});

test.each([
  ['__proto__ among the actions', () => `{"__proto__":${JSON.stringify(GET_TASK)}}`],
  ['a path among the names', () => JSON.stringify({ '../../etc/passwd': GET_TASK })],
  ['a name of 10 kB', () => JSON.stringify({ ['a'.repeat(10_000)]: GET_TASK })],
  ['a name with a look-alike letter', () => JSON.stringify({ gеt_task: GET_TASK })],
  ['a path that leaves the API', () => JSON.stringify({ get_task: { ...GET_TASK, request: { path: '/../..//evil.example.com/{id}' } } })],
  ['an input with the name __proto__', () => JSON.stringify({ get_task: GET_TASK }).replace('"id":', '"__proto__":')],
])('%s makes a document invalid', async (_, actions) => {
  const document = `${JSON.stringify({ ...tasksAt(bed.thirdParty.url), actions: undefined }).slice(0, -1)},"actions":${actions()}}`;
  const answered = await bed.api.post(`${I}/import`, { kind: 'declarative', name: 'hostile', document });
  expect(answered.body.code).toBe('DOCUMENT_INVALID');
  expect(JSON.stringify(answered.body).length).toBeLessThan(10_000);
});

test('an action may have the name of a built-in object property', async () => {
  const actions = { constructor: GET_TASK, valueof: CREATE_TASK };
  const { integration } = await importTasks(bed, 'members', tasksAt(bed.thirdParty.url, { actions }));
  expect(Object.keys(integration.actions)).toEqual(['constructor', 'valueof']);
  const call = { workspaceId: bed.workspaceId, integrationName: 'members', actionName: 'constructor', input: { id: 'a' } };
  expect((await bed.api.must(200).post('/api/v1/actions/execute', call)).success).toBe(true);
  const patched = await bed.api.must(200).patch(`${I}/members`, { actions: { constructor: { enabled: false } } });
  expect(patched.integration.actions.constructor.enabled).toBe(false);
});

test('input values cannot change host or path', async () => {
  await importTasks(bed, 'paths', tasksAt(bed.thirdParty.url));
  const run = (id: string) =>
    bed.api.post('/api/v1/actions/execute', {
      workspaceId: bed.workspaceId,
      integrationName: 'paths',
      actionName: 'get_task',
      input: { id },
    });
  for (const id of ['..', '.', '', '..\\x']) expect((await run(id)).body.code).toMatch(/ACTION_FAILED|VALIDATION_ERROR/);
  await run('../../@evil.example.com?x#y');
  expect(bed.thirdParty.received.at(-1)!.path).toBe(`/tasks/${encodeURIComponent('../../@evil.example.com?x#y')}`);
});

test('an import removes characters that Postgres cannot store', async () => {
  const odd = { ...GET_TASK, displayName: 'A\u0000B', description: 'x\ud800y' };
  const { integration } = await importTasks(bed, 'odd', tasksAt(bed.thirdParty.url, { actions: { get_task: odd } }));
  expect(integration.actions.get_task.displayName).not.toContain('\u0000');
  expect((await bed.api.must(200).get(`${I}/odd`)).integration.actions.get_task.name).toBe('get_task');
});

import { CREATE_TASK, GET_TASK, I, importTasks, type OwnBed, openOwnBed, tasksAt } from './own-bed.ts';
import { refreshWith, theOnly } from './read-changes.ts';

let bed: OwnBed;
beforeAll(async () => {
  bed = await openOwnBed();
});
afterAll(() => bed.close());

const both = { get_task: GET_TASK, create_task: CREATE_TASK };
const SECRET = { auth: [{ key: 'token', type: 'SECRET_TEXT', displayName: 'Token' }], authenticate: { header: 'X-Token' } };

const CASES = {
  action_added: {
    source: (url: string) => tasksAt(url, { actions: { ...both, copy_task: GET_TASK } }),
    action: 'copy_task',
    waiting: { code: 'ACTION_NOT_FOUND' },
    rejected: { code: 'ACTION_NOT_FOUND' },
    accepted: { success: true },
  },
  action_changed: {
    source: (url: string) => tasksAt(url, { actions: { ...both, get_task: { ...GET_TASK, description: 'Another one.' } } }),
    action: 'get_task',
    waiting: { code: 'ACTION_CHANGED' },
    rejected: { success: true },
    accepted: { success: true },
  },
  action_removed: {
    source: (url: string) => tasksAt(url, { actions: { create_task: CREATE_TASK } }),
    action: 'get_task',
    waiting: { code: 'ACTION_FAILED', details: { reason: 'removed' } },
    rejected: { success: true },
    accepted: { code: 'ACTION_NOT_FOUND' },
  },
  // Until the decision, calls use the old address and the old credentials.
  auth_changed: {
    source: (url: string) => tasksAt(url, SECRET),
    action: 'get_task',
    waiting: { success: true },
    rejected: { success: true },
    accepted: { code: 'CONNECTION_REQUIRED' },
  },
  server_changed: {
    source: (url: string) => tasksAt(`${url}/v2`),
    action: 'get_task',
    waiting: { success: true },
    rejected: { success: true },
    accepted: { success: true },
  },
};

const run = async (integrationName: string, actionName: string) =>
  (await bed.api.post('/api/v1/actions/execute', { workspaceId: bed.workspaceId, integrationName, actionName, input: { id: 'a' } })).body;

describe.each(Object.entries(CASES))('with onChange block, %s', (kind, { source, action, waiting, rejected, accepted }) => {
  test.each(['reject', 'accept'] as const)(
    `the action answers as expected before and after the decision to ${'%s'}; another action runs before the decision`,
    async (verb) => {
      const name = `blocks-${kind.replace('_', '-')}-${verb}`;
      await importTasks(bed, name, tasksAt(bed.thirdParty.url), { onChange: 'block' });
      const change = theOnly(await refreshWith(bed, name, source(bed.thirdParty.url)));
      expect(change.kind).toBe(kind);
      expect(await run(name, action)).toMatchObject(waiting);
      if (kind === 'server_changed') expect(bed.thirdParty.received.at(-1)!.path).toBe('/tasks/a');
      const other = { workspaceId: bed.workspaceId, integrationName: name, actionName: 'create_task', input: { title: 'x' } };
      expect((await bed.api.post('/api/v1/actions/execute', other)).body).toMatchObject({ success: true });

      await bed.api.must(200).post(`${I}/${name}/changes/${change.id}/${verb}`);
      expect(await run(name, action)).toMatchObject(verb === 'accept' ? accepted : rejected);
      if (kind === 'server_changed') expect(bed.thirdParty.received.at(-1)!.path).toBe(verb === 'accept' ? '/v2/tasks/a' : '/tasks/a');
    },
  );
});

import { openRefreshSchedule } from '../../../../commands/integrations/refresh-schedule.ts';
import { withKey } from '../../checked-caller.ts';
import { CREATE_TASK, GET_TASK, I, importTasks, type OwnBed, openOwnBed, tasksAt } from './own-bed.ts';

let bed: OwnBed;
beforeAll(async () => {
  bed = await openOwnBed();
});
afterAll(() => bed.close());

const CHANGED = { ...GET_TASK, description: 'Gets one task, and more.' };
const ADDED = { ...CREATE_TASK, displayName: 'Copy a task' };

const actionsOf = (actions: object) => tasksAt(bed.thirdParty.url, { actions });
const refresh = (name: string, body: object) => bed.api.must(200).post(`${I}/${name}/refresh`, body);
const decide = (name: string, id: string, verb: 'accept' | 'reject') =>
  bed.api.must(200).post(`${I}/${name}/changes/${id}/${verb}`, { reason: 'Looked at it' });
const get = async (name: string) => (await bed.api.must(200).get(`${I}/${name}`)).integration;
const run = async (integrationName: string, actionName: string, input: object = { id: 'a' }) =>
  (await bed.api.post('/api/v1/actions/execute', { workspaceId: bed.workspaceId, integrationName, actionName, input })).body;
const kinds = (changes: { kind: string; actionName: string | null }[]) =>
  changes.map(({ kind, actionName }) => `${kind} ${actionName ?? ''}`.trim()).sort();

test('a refresh holds back added and changed actions and a changed server until they are accepted', async () => {
  await importTasks(bed, 'held', tasksAt(bed.thirdParty.url));
  const document = tasksAt(`${bed.thirdParty.url}/v2`, { actions: { get_task: CHANGED, copy_task: ADDED } });
  const { changes, integration } = await refresh('held', { document });
  expect(kinds(changes)).toEqual(['action_added copy_task', 'action_changed get_task', 'action_removed create_task', 'server_changed']);
  expect(integration).toMatchObject({ version: 1, pendingChanges: 4, baseUrl: bed.thirdParty.url });
  const byKind = Object.fromEntries(changes.map((change: { kind: string }) => [change.kind, change]));
  expect(byKind.action_changed.fields).toEqual([{ path: 'description', before: 'Gets one task.', after: 'Gets one task, and more.' }]);
  expect(byKind.server_changed.fields).toEqual([{ path: 'baseUrl', before: bed.thirdParty.url, after: `${bed.thirdParty.url}/v2` }]);

  expect((await get('held')).actions.get_task.description).toBe('Gets one task.');
  expect((await run('held', 'copy_task')).code).toBe('ACTION_NOT_FOUND');
  expect(await run('held', 'create_task')).toMatchObject({ code: 'ACTION_FAILED', details: { reason: 'removed' } });
  await run('held', 'get_task');
  expect(bed.thirdParty.received.at(-1)!.path).toBe('/tasks/a');

  for (const { id } of changes) await decide('held', id, 'accept');
  expect(await get('held')).toMatchObject({ version: 5, pendingChanges: 0, baseUrl: `${bed.thirdParty.url}/v2` });
  expect(Object.keys((await get('held')).actions)).toEqual(['get_task', 'copy_task']);
  await run('held', 'get_task');
  expect(bed.thirdParty.received.at(-1)!.path).toBe('/v2/tasks/a');
  expect((await run('held', 'create_task')).code).toBe('ACTION_NOT_FOUND');
});

test('a change can be decided once, and shows who decided it', async () => {
  await importTasks(bed, 'decided', tasksAt(bed.thirdParty.url));
  const { changes } = await refresh('decided', { document: actionsOf({ get_task: CHANGED, create_task: CREATE_TASK }) });
  const { change, integration } = await decide('decided', changes[0].id, 'accept');
  expect(change).toMatchObject({ status: 'accepted', reason: 'Looked at it', decidedById: expect.any(String), detectedBy: 'refresh' });
  expect(integration.actions.get_task.description).toBe('Gets one task, and more.');
  const again = await bed.api.post(`${I}/decided/changes/${change.id}/reject`);
  expect(again.body).toMatchObject({ code: 'CHANGE_ALREADY_DECIDED', details: { status: 'accepted' } });
  expect((await bed.api.post(`${I}/decided/changes/${bed.workspaceId}/accept`)).body.code).toBe('CHANGE_NOT_FOUND');
  expect((await bed.api.post(`${I}/decided/changes/x/accept`)).body.code).toBe('CHANGE_NOT_FOUND');
  expect(await bed.api.must(200).get(`${I}/decided/changes?status=pending`)).toEqual({ changes: [], total: 0 });
  expect(await bed.api.must(200).get(`${I}/decided/changes`)).toEqual({ changes: [change], total: 1 });
  expect(await bed.api.must(200).get(`${I}/hash-encode/changes`)).toEqual({ changes: [], total: 0 });
});

test('a refresh creates no new change for content that is pending or rejected', async () => {
  await importTasks(bed, 'superseded', tasksAt(bed.thirdParty.url));
  const described = (description: string) => ({
    document: actionsOf({ get_task: { ...GET_TASK, description }, create_task: CREATE_TASK }),
  });
  const [first] = (await refresh('superseded', described('One'))).changes;
  expect((await refresh('superseded', described('One'))).changes).toEqual([first]);
  const [second] = (await refresh('superseded', described('Two'))).changes;
  const listed = await bed.api.must(200).get(`${I}/superseded/changes`);
  expect(listed.changes.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
    [second.id, 'pending'],
    [first.id, 'superseded'],
  ]);
  await decide('superseded', second.id, 'reject');
  expect((await refresh('superseded', described('Two'))).changes).toEqual([]);
  expect((await refresh('superseded', described('Three'))).changes).toHaveLength(1);
  expect((await refresh('superseded', described('Gets one task.'))).changes).toEqual([]);
  expect((await get('superseded')).pendingChanges).toBe(0);
});

test('`accept` applies changes immediately and requires the permission to decide; a preview stores nothing', async () => {
  await importTasks(bed, 'at-once', tasksAt(bed.thirdParty.url));
  const document = actionsOf({ get_task: CHANGED });
  const seen = await refresh('at-once', { document, preview: true });
  expect(kinds(seen.changes)).toEqual(['action_changed get_task', 'action_removed create_task']);
  expect(seen.changes[0].id).toBeNull();
  expect((await get('at-once')).pendingChanges).toBe(0);

  const plain = await withKey({ ...bed, api: bed.api }, {});
  expect((await plain.post(`${I}/at-once/refresh`, { document, accept: true })).body.code).toBe('APPROVAL_DECISION_SCOPE_REQUIRED');
  const { integration, changes } = await refresh('at-once', { document, accept: true });
  expect(changes.map(({ status }: { status: string }) => status)).toEqual(['accepted', 'accepted']);
  expect(integration).toMatchObject({ version: 3, pendingChanges: 0 });
  expect(Object.keys(integration.actions)).toEqual(['get_task']);
});

test('after an enabled action is removed, the other fields of a workspace integration can still be changed', async () => {
  await importTasks(bed, 'reduced', tasksAt(bed.thirdParty.url));
  const instances = `/api/v1/workspaces/${bed.workspaceId}/integrations`;
  const enabledActions = ['get_task', 'create_task'];
  const { integration } = await bed.api.must(201).post(instances, { integrationName: 'reduced', enabledActions });
  await refresh('reduced', { document: actionsOf({ get_task: GET_TASK }), accept: true });
  const renamed = await bed.api.must(200).patch(`${instances}/${integration.id}`, { alias: 'smaller', displayName: 'Smaller' });
  expect(renamed.integration).toMatchObject({ alias: 'smaller', displayName: 'Smaller' });
  const again = await bed.api.must(400).patch(`${instances}/${integration.id}`, { enabledActions });
  expect(again.details.issues.map(({ path }: { path: string }) => path)).toEqual(['enabledActions.1']);
});

test('with onChange block, calls of a changed action are refused until the change is decided', async () => {
  await importTasks(bed, 'blocking', tasksAt(bed.thirdParty.url), { onChange: 'block' });
  const { changes } = await refresh('blocking', { document: actionsOf({ get_task: CHANGED, create_task: CREATE_TASK }) });
  expect((await run('blocking', 'get_task')).code).toBe('ACTION_CHANGED');
  expect(await run('blocking', 'create_task', { title: 'x' })).toMatchObject({ success: true });
  await decide('blocking', changes[0].id, 'reject');
  expect(await run('blocking', 'get_task')).toMatchObject({ success: true });
});

test('settings of an administrator survive a refresh; null removes them', async () => {
  await importTasks(bed, 'named', tasksAt(bed.thirdParty.url));
  const patch = (body: object) => bed.api.must(200).patch(`${I}/named`, body);
  const said = {
    displayName: 'Our tasks',
    actions: { get_task: { category: 'admin', description: 'Ours' }, create_task: { enabled: false } },
  };
  expect((await patch(said)).integration).toMatchObject({
    displayName: 'Our tasks',
    actions: { get_task: { category: 'admin', categoryFrom: 'administrator', description: 'Ours' }, create_task: { enabled: false } },
  });
  expect((await run('named', 'create_task', { title: 'x' })).code).toBe('ACTION_NOT_ALLOWED');
  await refresh('named', { document: actionsOf({ get_task: CHANGED, create_task: CREATE_TASK }), accept: true });
  expect(await get('named')).toMatchObject({ displayName: 'Our tasks', actions: { get_task: { description: 'Ours' } } });
  await patch({ displayName: null, actions: { get_task: { description: null, category: null }, create_task: null } });
  expect(await get('named')).toMatchObject({
    displayName: 'Tasks',
    actions: { get_task: { description: 'Gets one task, and more.', category: 'read' }, create_task: { enabled: true } },
  });
  for (const name of ['constructor', 'toString', 'no_such_action']) {
    const body = `{"actions":{${JSON.stringify(name)}:{"enabled":false}}}`;
    expect([name, (await bed.api.patch(`${I}/named`, body)).body.code]).toEqual([name, 'ACTION_NOT_FOUND']);
  }
  expect((await bed.api.patch(`${I}/named`, {})).body.code).toBe('NO_UPDATES');
  expect((await bed.api.patch(`${I}/hash-encode`, { displayName: 'x' })).body.code).toBe('NOT_CUSTOM');
});

test('an uploaded document has no refresh schedule, even if an earlier version stored one', async () => {
  await importTasks(bed, 'unscheduled', tasksAt(bed.thirdParty.url));
  expect((await bed.api.patch(`${I}/unscheduled`, { refreshEverySeconds: 60 })).body.code).toBe('VALIDATION_ERROR');
  await bed.api.must(200).patch(`${I}/unscheduled`, { refreshEverySeconds: 0 });
  const rows = bed.patient('custom_integrations').where({ name: 'unscheduled' });
  await rows.clone().update({ refresh_every_seconds: 60, checked_at: new Date(0) });
  const schedule = openRefreshSchedule(bed.gateway);
  await schedule.turn();
  await schedule.idle();
  expect(await rows.clone().first()).toMatchObject({ checking_until: null, status: 'ACTIVE' });
});

test('a scheduled refresh records its failure, and the next success clears the failure', async () => {
  let answer = { status: 200, body: JSON.stringify(tasksAt(bed.thirdParty.url)) };
  bed.thirdParty.answerWith(({ path }) => (path === '/doc' ? answer : { status: 200, body: '{"id":"t1"}' }));
  const url = `${bed.thirdParty.url}/doc`;
  await bed.api.must(201).post(`${I}/import`, { kind: 'declarative', name: 'scheduled', url, refreshEverySeconds: 60 });
  const schedule = openRefreshSchedule(bed.gateway);
  const refreshDue = async () => {
    await schedule.turn();
    await schedule.idle();
  };
  const due = () =>
    bed
      .patient('custom_integrations')
      .where({ name: 'scheduled' })
      .update({ checked_at: new Date(0) });

  answer = { status: 500, body: '' };
  await due();
  await refreshDue();
  expect(await get('scheduled')).toMatchObject({ status: 'ERROR', lastError: { code: 'FETCH_FAILED' } });

  answer = { status: 200, body: JSON.stringify(actionsOf({ get_task: CHANGED, create_task: CREATE_TASK })) };
  await due();
  await refreshDue();
  expect(await get('scheduled')).toMatchObject({ status: 'ACTIVE', lastError: null, pendingChanges: 1 });
  const { changes } = await bed.api.must(200).get(`${I}/scheduled/changes`);
  expect(changes).toMatchObject([{ kind: 'action_changed', detectedBy: 'schedule' }]);

  const { revision } = await bed.patient('custom_integrations').where({ name: 'scheduled' }).first();
  await due();
  await refreshDue();
  expect((await bed.patient('custom_integrations').where({ name: 'scheduled' }).first()).revision).toBe(revision);
});

test('refreshing an uploaded document requires sending the document again', async () => {
  await importTasks(bed, 'uploaded', tasksAt(bed.thirdParty.url));
  const before = await get('uploaded');
  const refused = await bed.api.post(`${I}/uploaded/refresh`);
  expect(refused.body).toMatchObject({ code: 'VALIDATION_ERROR', details: { issues: [{ path: 'document' }] } });
  expect(await get('uploaded')).toEqual(before);
});

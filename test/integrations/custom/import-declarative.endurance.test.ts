import type { ImportContext } from '../../../integrations/custom/importer.ts';
import { IMPORTERS } from '../../../integrations/custom/importers.ts';

const document = {
  format: 1,
  displayName: 'Tasks',
  description: 'Tasks of a team.',
  categories: ['PRODUCTIVITY'],
  auth: null,
  baseUrl: 'https://api.example.com/v1',
  $defs: {
    task: { type: 'object', properties: { id: { type: 'string' }, parent: { $ref: '#/$defs/task' }, list: { $ref: '#/$defs/list' } } },
    list: { type: 'object', properties: { name: { type: 'string' } } },
    unused: { type: 'string' },
  },
  actions: {
    get_task: {
      displayName: 'Get a task',
      description: 'Gets one task.',
      category: 'read',
      input: { properties: { id: { type: 'string' }, kind: { enum: ['a', 'b'] } }, required: ['id', 'kind'] },
      output: { $ref: '#/$defs/task' },
      request: { path: '/tasks/{id}', query: true },
    },
    delete_task: {
      displayName: 'Delete a task',
      description: 'Deletes one task.',
      category: 'delete',
      input: { properties: { id: { type: 'string' } }, required: ['id'] },
      output: {},
      request: { method: 'DELETE', path: '/tasks/{id}' },
    },
  },
};

const context = {
  withSlot: (_, work) => work(),
  names: new Map(),
  signal: new AbortController().signal,
} as Partial<ImportContext> as ImportContext;
const importIt = (given: unknown, more = {}) => IMPORTERS.declarative!({ name: 'tasks', document: given, ...more }, context);

test('an action is stored with the shared schemas that it uses, directly or through references', async () => {
  const { integration, report } = await importIt(document);
  const [get, remove] = integration.actions;
  expect(get).toMatchObject({ name: 'get_task', source: { operation: 'GET /tasks/{id}' }, categoryFrom: 'document' });
  expect(Object.keys(get!.uses.output).sort()).toEqual(['list', 'task']);
  expect(remove!.uses).toEqual({ input: {}, output: {} });
  expect(Object.keys(integration.definitions)).toHaveLength(2);
  expect(report).toMatchObject({ operations: 2, imported: 2, leftOutCount: 0, noteCount: 0 });
});

test('the hash of an action depends on its shared schemas, but not on the order of keys', async () => {
  const hashIn = async (given: unknown) => (await importIt(given)).integration.actions[0]!.hash;
  const { get_task: get } = document.actions;
  const input = { required: ['kind', 'id'], properties: { kind: { enum: ['b', 'a'] }, id: { type: 'string' } } };
  const reordered = { ...document, actions: { get_task: { ...Object.fromEntries(Object.entries(get).reverse()), input } } };
  const changed = { ...document, $defs: { ...document.$defs, list: { type: 'object', description: 'A list.' } } };
  const before = await hashIn(document);
  expect(await hashIn(reordered)).toBe(before);
  expect(await hashIn(changed)).not.toBe(before);
});

test('shared schemas that make an action larger than 256 kB are left out and reported', async () => {
  const large = { type: 'object', description: 'x'.repeat(9000), properties: { next: {} } };
  const $defs = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`d${index}`, { ...large, properties: { next: { $ref: `#/$defs/d${(index + 1) % 40}` } } }]),
  );
  const action = { ...document.actions.get_task, output: { $ref: '#/$defs/d0' } };
  const { integration, report } = await importIt({ ...document, $defs, actions: { get_task: action } });
  const uses = integration.actions[0]!.uses.output;
  expect(uses.d0).toMatch(/^[0-9a-f]{64}$/);
  expect(Object.values(uses)).toContain(null);
  expect(report.notes).toEqual([expect.objectContaining({ operation: 'get_task', code: 'schema_cut' })]);
});

test.each([
  [{ operations: ['get_task'] }, ['get_task']],
  [{ operations: ['delete /tasks/{id}'] }, ['delete_task']],
  [{ paths: ['/tasks'], methods: ['get'] }, ['get_task']],
  [{ exclude: { methods: ['GET'] } }, ['delete_task']],
])('the selection %j imports %j', async (select, names) => {
  const { integration, report } = await importIt(document, { select });
  expect(integration.actions.map(({ name }) => name)).toEqual(names);
  expect(report.leftOut).toEqual([expect.objectContaining({ reason: 'not_selected' })]);
});

test('a selection without matches is an error', async () => {
  await expect(importIt(document, { select: { operations: ['nothing'] } })).rejects.toMatchObject({ code: 'NOTHING_TO_IMPORT' });
});

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { StateRequest } from '../../commands/agent-state/open-state.ts';
import { openStateBed } from './state-bed.ts';

let bed: Awaited<ReturnType<typeof openStateBed>>;
beforeAll(async () => {
  bed = await openStateBed();
});
afterAll(() => bed.close());

const READS = [
  ['kv-store.get', { key: 'k' }],
  ['storage.list_files', {}],
  ['agent-memory.read_graph', {}],
  ['agent-scratchpad.list_pages', {}],
  ['sequential-thinking.get_chain', { chainId: 'c' }],
] as const;

test('every scope has its own state', async () => {
  const scopes: Partial<StateRequest>[] = [
    { endUserId: 'one' },
    { endUserId: 'two' },
    { endUserId: 'shared', persistence: { scope: 'end_user' } },
    { persistence: { scope: 'workspace' } },
    { persistence: { scope: 'external', externalId: 'one' } },
    { persistence: { scope: 'external', externalId: 'shared' } },
    { ...bed.theirs, endUserId: 'one' },
    { ...bed.theirs, persistence: { scope: 'workspace' } },
    { ...bed.theirs, persistence: { scope: 'external', externalId: 'one' } },
  ];
  for (const [i, scope] of scopes.entries()) {
    await bed.run('kv-store.put', { key: 'who', value: i }, scope);
    await bed.run('kv-store.add_to_list', { key: 'list', value: i }, scope);
    await bed.run('storage.write_file', { path: 'who', content: `${i}` }, scope);
    await bed.run('agent-memory.create_entities', { entities: [{ name: 'who', type: `${i}` }] }, scope);
    await bed.run('agent-memory.create_relations', { relations: [{ from: 'who', to: 'who', type: `is ${i}` }] }, scope);
    await bed.run('agent-scratchpad.append_page', { pageName: 'who', content: `${i}` }, scope);
    await bed.run('sequential-thinking.add_thought', { chainId: 'who', content: `${i}` }, scope);
  }
  for (const [i, scope] of scopes.entries()) {
    expect(await bed.run('kv-store.get', { key: 'who' }, scope)).toMatchObject({ value: i });
    expect(await bed.run('kv-store.get', { key: 'list' }, scope)).toMatchObject({ value: [i] });
    expect(await bed.run('storage.read_file', { path: 'who' }, scope)).toMatchObject({ content: `${i}` });
    expect((await bed.run('storage.list_files', {}, scope)).files).toHaveLength(1);
    const graph = { entities: [{ name: 'who', type: `${i}` }], relations: [{ type: `is ${i}` }] };
    expect(await bed.run('agent-memory.read_graph', {}, scope)).toMatchObject(graph);
    expect(await bed.run('agent-memory.search', { query: 'who' }, scope)).toMatchObject(graph);
    expect(await bed.run('agent-scratchpad.list_pages', {}, scope)).toMatchObject({ total: 1 });
    expect(await bed.run('agent-scratchpad.search_pages', { query: 'who' }, scope)).toMatchObject({ pages: [{ excerpt: `${i}` }] });
    expect(await bed.run('sequential-thinking.get_chain', { chainId: 'who' }, scope)).toMatchObject({ thoughts: [{ content: `${i}` }] });
  }
  await bed.run('kv-store.delete', { key: 'who' }, scopes[0]);
  await bed.run('agent-memory.delete_entities', { names: ['who'] }, scopes[0]);
  await bed.run('agent-scratchpad.clear_all', {}, scopes[0]);
  for (const scope of scopes.slice(1)) {
    expect(await bed.run('kv-store.get', { key: 'who' }, scope)).toMatchObject({ found: true });
    expect(await bed.run('agent-memory.get_entity', { name: 'who' }, scope)).toMatchObject({ found: true });
    expect(await bed.run('agent-scratchpad.read_page', { pageName: 'who' }, scope)).toMatchObject({ found: true });
  }
});

test('all calls share workspace state and external state, with or without end user', async () => {
  for (const persistence of [{ scope: 'workspace' }, { scope: 'external', externalId: 'project' }] as const) {
    await bed.run('kv-store.put', { key: 'shared', value: persistence.scope }, { persistence, endUserId: 'one' });
    for (const endUserId of ['two', null])
      expect(await bed.run('kv-store.get', { key: 'shared' }, { persistence, endUserId })).toMatchObject({ value: persistence.scope });
  }
});

test.each([undefined, { scope: 'end_user' } as const])(
  'without an end user, the scope %j is refused, and the error names both remedies',
  async (persistence) => {
    for (const endUserId of [null, undefined]) {
      for (const [name, input] of READS) {
        await expect(bed.run(name, input, { persistence, endUserId })).rejects.toMatchObject({
          code: 'END_USER_REQUIRED',
          message: expect.stringMatching(/endUserId.*settings\.persistence\.scope.*workspace or external/),
        });
      }
    }
  },
);

test('the scope external without an id is an error', async () => {
  for (const externalId of [undefined, '']) {
    const persistence = externalId === undefined ? ({ scope: 'external' } as const) : ({ scope: 'external', externalId } as const);
    for (const [name, input] of READS) {
      await expect(bed.run(name, input, { persistence })).rejects.toMatchObject({
        code: 'ACTION_FAILED',
        message: expect.stringContaining('externalId'),
      });
    }
  }
});

test('the longest ids, keys and paths together fit into the index', async () => {
  const noise = (length: number) => Array.from({ length }, () => String.fromCharCode(0x4e00 + Math.floor(Math.random() * 20_000))).join('');
  const persistence = { scope: 'external', externalId: noise(341) } as const;
  await bed.run('kv-store.put', { key: noise(170), value: 1 }, { persistence });
  expect(await bed.run('storage.write_file', { path: noise(341), content: '' }, { persistence })).toMatchObject({ sizeBytes: 0 });
  const [from, to] = [noise(85), noise(85)];
  await bed.run('agent-memory.create_entities', { entities: [from, to].map((name) => ({ name, type: noise(85) })) }, { persistence });
  await bed.run('agent-memory.create_relations', { relations: [{ from, to, type: noise(85) }] }, { persistence });
  await bed.run('agent-scratchpad.write_page', { pageName: noise(170), content: '' }, { persistence });
  expect(await bed.run('sequential-thinking.add_thought', { chainId: noise(85), content: 'x' }, { persistence })).toMatchObject({
    thoughtId: 1,
  });
});

test('state is deleted with its workspace', async () => {
  const { db } = bed.host;
  await bed.run('kv-store.put', { key: 'k', value: 1 }, bed.theirs);
  await bed.run('storage.write_file', { path: 'f', content: '' }, bed.theirs);
  await bed.run('agent-memory.create_entities', { entities: [{ name: 'e', type: 't' }] }, bed.theirs);
  await bed.run('agent-memory.create_relations', { relations: [{ from: 'e', to: 'e', type: 't' }] }, bed.theirs);
  await bed.run('agent-scratchpad.write_page', { pageName: 'p', content: '' }, bed.theirs);
  await bed.run('sequential-thinking.add_thought', { chainId: 'c', content: 'x' }, bed.theirs);
  await db('workspaces').where({ id: bed.theirs.workspaceId }).delete();
  for (const table of ['kv_entries', 'stored_files', 'memory_entities', 'memory_relations', 'scratchpad_pages', 'thoughts'])
    expect(await db(table).where({ workspace_id: bed.theirs.workspaceId })).toEqual([]);
});

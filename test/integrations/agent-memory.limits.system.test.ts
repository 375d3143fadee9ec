import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ada, engine, openMemoryBed } from './memory-bed.ts';
import { issuesOf } from './run-action.ts';

type Bed = Awaited<ReturnType<typeof openMemoryBed>>;
let bed: Bed;
beforeAll(async () => {
  bed = await openMemoryBed();
});
beforeEach(() => bed.forget());
afterAll(() => bed.close());

const run: Bed['run'] = (...call) => bed.run(...call);
const create: Bed['create'] = (...entities) => bed.create(...entities);
const relate: Bed['relate'] = (...relation) => bed.relate(...relation);
const failure = (message: string) => ({ code: 'ACTION_FAILED', message: expect.stringContaining(message) });

test('a memory has at most 10,000 entities', async () => {
  await bed.fillEntities(9_999);
  await create(ada);
  await expect(create(engine)).rejects.toMatchObject(failure('10000 entities'));
  expect(await create(ada)).toMatchObject({ entities: [{ created: false }] });
  expect(await run('get_entity', { name: 'Engine Ltd' })).toMatchObject({ found: false });
});

test('a memory has at most 20,000 relations', async () => {
  await bed.fillEntities(200);
  await bed.fill('memory_relations', 19_999, { from_name: "'e' || (n % 200 + 1)", to_name: "'e1'", type: "'t' || n" });
  await relate('e1', 'knows', 'e2');
  await expect(relate('e2', 'knows', 'e1')).rejects.toMatchObject(failure('20000 relations'));
  expect(await relate('e1', 'knows', 'e2')).toMatchObject({ relations: [{ created: false }] });
});

test('an entity has at most 1,000 observations and 256 kB', async () => {
  const texts = (count: number, length: number, mark: string) => Array.from({ length: count }, (_, i) => `${mark}${i}`.padEnd(length, 'x'));
  const add = (contents: string[]) => run('add_observations', { observations: [{ entityName: 'Ada', contents }] });
  await create({ name: 'Ada', type: 'person', observations: texts(500, 9, 'a') });
  await add(texts(500, 9, 'b'));
  await expect(add(['more'])).rejects.toMatchObject(failure('1000 observations'));

  await run('delete_entities', { names: ['Ada'] });
  await create({ name: 'Ada', type: 'x', observations: [...texts(65, 4000, 'c'), 'x'.repeat(256 * 1024 - 65 * 4000 - 4)] });
  await expect(add(['y'])).rejects.toMatchObject(failure('262144 bytes'));
});

test('a memory has at most 8 MB', async () => {
  await bed.fillEntities(31, 256 * 1024);
  await create({ name: 'last', type: 'x', observations: Array.from({ length: 65 }, (_, i) => `${i}`.padEnd(4000, 'x')) });
  await expect(create({ name: 'more', type: 'x', observations: ['z'.repeat(3000)] })).rejects.toMatchObject(failure('8388608 bytes'));
});

test('of a graph above 384 kB, the oldest entities are returned', async () => {
  await bed.fillEntities(1, 256 * 1024);
  expect(await run('read_graph')).toMatchObject({ truncated: false });
  await create({ name: 'large', type: 'x', observations: Array.from({ length: 33 }, (_, i) => `${i}`.padEnd(4000, 'x')) });
  await create(ada);
  expect(await run('read_graph')).toMatchObject({ entities: [{ name: 'e1' }], truncated: true });
});

test('relations above 384 kB are left out, so an answer stays below 1 MB', async () => {
  await bed.fillEntities(2);
  await bed.fill('memory_relations', 20_000, { from_name: "'e1'", to_name: "'e2'", type: "'t' || n" });
  for (const answer of [await run('read_graph'), await run('get_entity', { name: 'e2' }), await run('search', { query: 'e1' })]) {
    expect(answer.truncated).toBe(true);
    expect((answer.relations as unknown[]).length).toBeGreaterThan(5_000);
    expect(JSON.stringify(answer).length).toBeLessThan(1024 * 1024);
  }
});

const entity = (fields: object) => ({ entities: [{ name: 'n', type: 't', ...fields }] });
const relation = { from: 'a', to: 'b', type: 't' };
test.each([
  ['create_entities', 'no entity', { entities: [] }, 'entities'],
  ['create_entities', '101 entities', { entities: Array(101).fill(ada) }, 'entities'],
  ['create_entities', 'an empty name', entity({ name: '' }), 'entities.0.name'],
  ['create_entities', 'a name of 258 bytes', entity({ name: 'é'.repeat(129) }), 'entities.0.name'],
  ['create_entities', 'a name of two lines', entity({ name: 'a\nb' }), 'entities.0.name'],
  ['create_entities', 'no type', entity({ type: undefined }), 'entities.0.type'],
  ['create_entities', 'an empty observation', entity({ observations: [''] }), 'entities.0.observations.0'],
  ['create_entities', 'an observation of 4,001 characters', entity({ observations: ['x'.repeat(4001)] }), 'entities.0.observations.0'],
  ['create_entities', 'NUL in an observation', entity({ observations: ['\u0000'] }), 'entities.0.observations.0'],
  ['create_entities', '501 observations', entity({ observations: Array(501).fill('x') }), 'entities.0.observations'],
  ['create_entities', 'an unknown key', entity({ colour: 'red' }), 'entities.0.colour'],
  ['add_observations', 'no content', { observations: [{ entityName: 'n', contents: [] }] }, 'observations.0.contents'],
  ['create_relations', 'a relation without a type', { relations: [{ from: 'a', to: 'b' }] }, 'relations.0.type'],
  ['create_relations', '501 relations', { relations: Array(501).fill(relation) }, 'relations'],
  ['delete_entities', 'no name', { names: [] }, 'names'],
  ['delete_entities', '101 names', { names: Array(101).fill('x') }, 'names'],
  ['read_graph', 'an unknown key', { all: true }, 'all'],
])('%s refuses %s', (action, _, input, path) =>
  expect(issuesOf(`agent-memory.${action}`, input).map((issue) => issue.path)).toEqual([path]),
);
test.each([
  ['create_entities', '100 entities', { entities: Array(100).fill(ada) }],
  ['create_entities', 'a name of 256 bytes', entity({ name: 'é'.repeat(128) })],
  ['create_entities', '500 observations of 4,000 characters', entity({ observations: Array(500).fill('x'.repeat(4000)) })],
  ['create_relations', '500 relations', { relations: Array(500).fill(relation) }],
  ['delete_entities', '100 names', { names: Array(100).fill('x') }],
])('%s accepts %s', (action, _, input) => expect(issuesOf(`agent-memory.${action}`, input)).toEqual([]));

import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
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

describe('entities', () => {
  test('are stored with their observations, in order and without duplicates', async () => {
    expect(await create({ ...ada, observations: ['b', 'a', 'b'] })).toEqual({
      entities: [{ name: 'Ada', type: 'person', created: true, addedObservations: 2 }],
    });
    expect(await run('get_entity', { name: 'Ada' })).toEqual({
      found: true,
      entity: { name: 'Ada', type: 'person', observations: ['b', 'a'], createdAt: expect.any(String), updatedAt: expect.any(String) },
      relations: [],
      truncated: false,
    });
  });

  test('creating an existing entity again keeps its type and adds new observations', async () => {
    await create(ada);
    expect(await create({ name: 'Ada', type: 'robot', observations: ['likes tea', 'born 1815'] }, engine, engine)).toEqual({
      entities: [
        { name: 'Ada', type: 'person', created: false, addedObservations: 1 },
        { name: 'Engine Ltd', type: 'company', created: true, addedObservations: 0 },
        { name: 'Engine Ltd', type: 'company', created: false, addedObservations: 0 },
      ],
    });
    expect(await run('get_entity', { name: 'Ada' })).toMatchObject({
      entity: { type: 'person', observations: ['likes tea', 'works at Engine Ltd', 'born 1815'] },
    });
  });

  test('names must match exactly, and a missing entity is null', async () => {
    await create(ada);
    for (const name of ['ada', 'Ada ', 'nobody'])
      expect(await run('get_entity', { name })).toEqual({ found: false, entity: null, relations: [], truncated: false });
  });

  test.each(['__proto__', "'; drop table memory_entities; --", 'a"b\\c{d},e', 'NULL', '日本', '🙂'])(
    'the text %j is stored unchanged as a name, a type and an observation',
    async (text) => {
      await create({ name: text, type: text, observations: [text, `${text}\n\t${text}`] });
      expect(await run('get_entity', { name: text })).toMatchObject({
        entity: { name: text, type: text, observations: [text, `${text}\n\t${text}`] },
      });
    },
  );

  test('deleting an entity deletes its relations; missing entities are reported', async () => {
    await create(ada, engine, { name: 'Tea', type: 'drink' });
    await relate('Ada', 'works_at', 'Engine Ltd');
    await relate('Ada', 'likes', 'Tea');
    await relate('Engine Ltd', 'serves', 'Tea');
    expect(await run('delete_entities', { names: ['Ada', 'nobody'] })).toEqual({
      deleted: ['Ada'],
      notFound: ['nobody'],
      deletedRelations: 2,
    });
    expect(await run('read_graph')).toMatchObject({
      entities: [{ name: 'Engine Ltd' }, { name: 'Tea' }],
      relations: [{ from: 'Engine Ltd', to: 'Tea', type: 'serves' }],
    });
  });
});

describe('observations', () => {
  test('are added once; observations that already exist are reported separately', async () => {
    await create(ada);
    const observations = [
      { entityName: 'Ada', contents: ['likes tea', 'new', 'new'] },
      { entityName: 'Ada', contents: ['new', 'newer'] },
    ];
    expect(await run('add_observations', { observations })).toEqual({
      observations: [
        { entityName: 'Ada', added: ['new'], known: ['likes tea'] },
        { entityName: 'Ada', added: ['newer'], known: ['new'] },
      ],
    });
  });

  test('adding observations to a missing entity is refused, the error names it, and nothing changes', async () => {
    await create(ada);
    const observations = [
      { entityName: 'Ada', contents: ['lost'] },
      { entityName: 'Bob', contents: ['x'] },
    ];
    await expect(run('add_observations', { observations })).rejects.toMatchObject({
      ...failure('"Bob"'),
      details: { reason: 'not_found' },
    });
    expect(await run('get_entity', { name: 'Ada' })).toMatchObject({ entity: { observations: ada.observations } });
  });

  test('observations are deleted by their text, and missing observations are reported', async () => {
    await create(ada);
    expect(await run('delete_observations', { entityName: 'Ada', observations: ['likes tea', 'likes Tea'] })).toEqual({
      ...{ entityName: 'Ada', found: true, deleted: ['likes tea'], notFound: ['likes Tea'], observationsLeft: 1 },
    });
    expect(await run('delete_observations', { entityName: 'Bob', observations: ['x'] })).toEqual({
      ...{ entityName: 'Bob', found: false, deleted: [], notFound: ['x'], observationsLeft: 0 },
    });
  });

  test('observations from fifty concurrent calls are all kept', async () => {
    await create({ name: 'Ada', type: 'person' });
    const texts = Array.from({ length: 50 }, (_, i) => `fact ${i}`);
    await Promise.all(texts.map((text) => run('add_observations', { observations: [{ entityName: 'Ada', contents: [text, 'common'] }] })));
    const { entity } = (await run('get_entity', { name: 'Ada' })) as { entity: { observations: string[] } };
    expect(entity.observations.toSorted()).toEqual([...texts, 'common'].toSorted());
  });

  test('concurrent creations of one entity create one entity with all observations', async () => {
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, i) => create({ name: 'Race', type: 'thing', observations: [`seen by ${i}`] })),
    );
    expect(made.filter(({ entities }) => (entities as { created: boolean }[])[0]?.created)).toHaveLength(1);
    expect(((await run('get_entity', { name: 'Race' })).entity as { observations: string[] }).observations).toHaveLength(10);
  });
});

describe('relations', () => {
  test('are stored once, with their direction, and are shown from both ends', async () => {
    await create(ada, engine);
    expect(await relate('Ada', 'works_at', 'Engine Ltd')).toEqual({
      relations: [{ from: 'Ada', to: 'Engine Ltd', type: 'works_at', created: true }],
    });
    expect(await relate('Ada', 'works_at', 'Engine Ltd')).toMatchObject({ relations: [{ created: false }] });
    for (const name of ['Ada', 'Engine Ltd'])
      expect(await run('get_entity', { name })).toMatchObject({ relations: [{ from: 'Ada', to: 'Engine Ltd', type: 'works_at' }] });
  });

  test('require both entities, and an error names the missing entity', async () => {
    await create(ada, engine);
    const relations = [
      { from: 'Ada', to: 'Engine Ltd', type: 'works_at' },
      { from: 'Ada', to: 'Bob', type: 'knows' },
    ];
    await expect(run('create_relations', { relations })).rejects.toMatchObject(failure('"Bob"'));
    expect(await run('read_graph')).toMatchObject({ relations: [] });
  });

  test('deleting a relation keeps its entities, and missing relations are reported', async () => {
    await create(ada, engine);
    await relate('Ada', 'works_at', 'Engine Ltd');
    const [gone, never] = [
      { from: 'Ada', to: 'Engine Ltd', type: 'works_at' },
      { from: 'Engine Ltd', to: 'Ada', type: 'works_at' },
    ];
    expect(await run('delete_relations', { relations: [gone, never] })).toEqual({ deleted: [gone], notFound: [never] });
    expect(await run('read_graph')).toMatchObject({ entities: [{ name: 'Ada' }, { name: 'Engine Ltd' }], relations: [], truncated: false });
  });

  test('a relation created while an entity is deleted does not lead to the missing entity', async () => {
    await create(ada, engine);
    await Promise.allSettled([run('delete_entities', { names: ['Engine Ltd'] }), relate('Ada', 'works_at', 'Engine Ltd')]);
    expect(await run('read_graph')).toMatchObject({ entities: [{ name: 'Ada' }], relations: [] });
  });
});

describe('search', () => {
  const found = async (query: string) => ((await run('search', { query })).entities as { name: string }[]).map(({ name }) => name);
  beforeEach(async () => {
    await create(ada, engine, { name: 'Émile', type: 'Person', observations: ['ÜBER den Wolken', '100% sure_thing'] });
    await relate('Ada', 'works_at', 'Engine Ltd');
  });

  test.each([
    ['ada', ['Ada']],
    ['PERSON', ['Ada', 'Émile']],
    ['engine', ['Ada', 'Engine Ltd']],
    ['émile', ['Émile']],
    ['über WOLKEN', ['Émile']],
    ['tea person', ['Ada']],
    ['tea company', []],
    ['100%', ['Émile']],
    ['e_t', ['Émile']],
    ['%', ['Émile']],
    ['nothing', []],
  ])('a search for %j finds %j: all its words must occur in name, type or observations, in any letter case', async (query, names) => {
    expect(await found(query)).toEqual(names);
  });

  test('a search returns the relations of the found entities', async () => {
    expect(await run('search', { query: 'company' })).toEqual({
      entities: [{ name: 'Engine Ltd', type: 'company', observations: [] }],
      relations: [{ from: 'Ada', to: 'Engine Ltd', type: 'works_at' }],
      truncated: false,
    });
  });

  test('a search returns at most 100 entities, and says if there are more', async () => {
    await bed.fillEntities(100);
    expect(await run('search', { query: 'filler' })).toMatchObject({ truncated: false });
    await create({ name: 'one more', type: 'filler' });
    const answer = await run('search', { query: 'filler' });
    expect([(answer.entities as unknown[]).length, answer.truncated]).toEqual([100, true]);
  });

  test.each([
    ['nothing', ''],
    ['no word', ' \n'],
    ['NUL', 'a\u0000'],
    ['501 characters', 'x'.repeat(501)],
    ['eleven words', 'a b c d e f g h i j k'],
    ['null', null],
  ])('a query of %s is refused', (_, query) =>
    expect(issuesOf('agent-memory.search', { query }).map(({ path }) => path)).toEqual(['query']),
  );
  test.each([
    ['ten words', 'a b c d e f g h i j'],
    ['500 characters', 'x'.repeat(500)],
    ['one word many times', 'a a a a a a a a a a a'],
  ])('a query of %s is accepted', (_, query) => expect(issuesOf('agent-memory.search', { query })).toEqual([]));
});

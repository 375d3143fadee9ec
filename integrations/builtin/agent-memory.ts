import { z } from 'zod';
import type { Graph, StoredEntity } from '../agent-state.ts';
import { action, integration } from '../definition.ts';
import { searchWords, wordsOf } from './search-words.ts';
import { storableContent, storableText } from './storable-text.ts';

const name = storableText(256);
const names = z.array(name).min(1).max(100);
const observation = storableContent(4000).min(1);
const relation = z.strictObject({
  from: name.describe('name of an entity'),
  to: name.describe('name of an entity'),
  type: name.describe('verb in the active voice, such as works_at'),
});
const relations = z.array(relation).min(1).max(500);

const seenEntity = z.object({ name: z.string(), type: z.string(), observations: z.array(z.string()) });
const seenRelation = z.object({ from: z.string(), to: z.string(), type: z.string() });
const graph = z.object({
  entities: z.array(seenEntity),
  relations: z.array(seenRelation),
  truncated: z.boolean().describe('whether the answer was cut'),
});

export const agentMemory = integration({
  name: 'agent-memory',
  displayName: 'Agent Memory',
  description: 'Remember people, things and facts between conversations, as entities with observations and the relations between them',
  logoUrl: null,
  categories: ['AI', 'PRODUCTIVITY'],
  auth: null,
  actions: {
    create_entities: action({
      displayName: 'Create entities',
      description:
        'Remember entities. An existing entity keeps its type and gets the new observations. At most 10,000 entities, 1,000 observations and 256 kB per entity, 8 MB in total',
      category: 'write',
      idempotent: true,
      input: z.object({
        entities: z
          .array(
            z.strictObject({
              name: name.describe('identifies the entity; case counts'),
              type: name.describe('type of the entity, such as person, project or place'),
              observations: z.array(observation).max(500).optional().describe('facts, each of at most 4,000 characters'),
            }),
          )
          .min(1)
          .max(100)
          .describe('entities to remember'),
      }),
      output: z.object({
        entities: z.array(
          z.object({
            name: z.string(),
            type: z.string(),
            created: z.boolean().describe('false if it existed'),
            addedObservations: z.number(),
          }),
        ),
      }),
      async run({ input, state }) {
        const entities = input.entities.map(({ observations = [], ...entity }) => ({ ...entity, observations }));
        return { entities: await state().memory.createEntities(entities) };
      },
    }),

    add_observations: action({
      displayName: 'Add observations',
      description: 'Add observations to existing entities. Known observations are not added twice',
      category: 'write',
      idempotent: true,
      input: z.object({
        observations: z
          .array(
            z.strictObject({
              entityName: name.describe('name of the entity'),
              contents: z.array(observation).min(1).max(500).describe('facts'),
            }),
          )
          .min(1)
          .max(100)
          .describe('new facts, by entity'),
      }),
      output: z.object({
        observations: z.array(z.object({ entityName: z.string(), added: z.array(z.string()), known: z.array(z.string()) })),
      }),
      run: async ({ input, state }) => ({ observations: await state().memory.addObservations(input.observations) }),
    }),

    create_relations: action({
      displayName: 'Create relations',
      description: 'Remember relations between existing entities. Existing relations stay unchanged. At most 20,000 relations',
      category: 'write',
      idempotent: true,
      input: z.object({ relations: relations.describe('relations to remember') }),
      output: z.object({ relations: z.array(seenRelation.extend({ created: z.boolean().describe('false if it existed') })) }),
      run: async ({ input, state }) => ({ relations: await state().memory.createRelations(input.relations) }),
    }),

    search: action({
      displayName: 'Search',
      description: 'At most 100 entities that contain every word in their name, type or observations, with their relations',
      category: 'read',
      input: z.object({ query: searchWords }),
      output: graph,
      run: async ({ input, state }) => presentGraph(await state().memory.search(wordsOf(input.query))),
    }),

    read_graph: action({
      displayName: 'Read graph',
      description: 'All entities and relations, oldest first, at most 384 kB of each',
      category: 'read',
      input: z.object({}),
      output: graph,
      run: async ({ state }) => presentGraph(await state().memory.readGraph()),
    }),

    get_entity: action({
      displayName: 'Get entity',
      description: 'One entity with its relations; null if there is none of that name',
      category: 'read',
      input: z.object({ name: name.describe('name of the entity') }),
      output: z.object({
        found: z.boolean(),
        entity: seenEntity.extend({ createdAt: z.string(), updatedAt: z.string() }).nullable(),
        relations: z.array(seenRelation),
        truncated: z.boolean().describe('whether there are more relations'),
      }),
      async run({ input, state }) {
        const found = await state().memory.getEntity(input.name);
        if (!found) return { found: false, entity: null, relations: [], truncated: false };
        const { entity, relations, truncated } = found;
        const times = { createdAt: entity.createdAt.toISOString(), updatedAt: entity.updatedAt.toISOString() };
        return { found: true, entity: { ...presentEntity(entity), ...times }, relations, truncated };
      },
    }),

    delete_entities: action({
      displayName: 'Delete entities',
      description: 'Forget entities, with their observations and relations',
      category: 'delete',
      idempotent: true,
      input: z.object({ names: names.describe('names of the entities to forget') }),
      output: z.object({ deleted: z.array(z.string()), notFound: z.array(z.string()), deletedRelations: z.number() }),
      async run({ input, state }) {
        const { deleted, deletedRelations } = await state().memory.deleteEntities(input.names);
        return { deleted, notFound: input.names.filter((name) => !deleted.includes(name)), deletedRelations };
      },
    }),

    delete_observations: action({
      displayName: 'Delete observations',
      description: 'Forget observations of an entity; give their exact text',
      category: 'delete',
      idempotent: true,
      input: z.object({
        entityName: name.describe('name of the entity'),
        observations: z.array(observation).min(1).max(500).describe('facts to forget, word for word'),
      }),
      output: z.object({
        entityName: z.string(),
        found: z.boolean().describe('whether the entity exists'),
        deleted: z.array(z.string()),
        notFound: z.array(z.string()),
        observationsLeft: z.number(),
      }),
      async run({ input, state }) {
        const { entityName, observations } = input;
        const answer = await state().memory.deleteObservations(entityName, observations);
        const { deleted, left } = answer ?? { deleted: [], left: 0 };
        const gone = new Set(deleted);
        const notFound = observations.filter((text) => !gone.has(text));
        return { entityName, found: answer !== undefined, deleted, notFound, observationsLeft: left };
      },
    }),

    delete_relations: action({
      displayName: 'Delete relations',
      description: 'Forget relations; the entities stay',
      category: 'delete',
      idempotent: true,
      input: z.object({ relations: relations.describe('relations to forget') }),
      output: z.object({ deleted: z.array(seenRelation), notFound: z.array(seenRelation) }),
      async run({ input, state }) {
        const deleted = await state().memory.deleteRelations(input.relations);
        const keys = new Set(deleted.map(keyOf));
        return { deleted, notFound: input.relations.filter((relation) => !keys.has(keyOf(relation))) };
      },
    }),
  },
});

function presentGraph({ entities, relations, truncated }: Graph) {
  return { entities: entities.map(presentEntity), relations, truncated };
}

function presentEntity({ name, type, observations }: StoredEntity) {
  return { name, type, observations: [...observations] };
}

function keyOf({ from, to, type }: z.output<typeof relation>): string {
  return JSON.stringify([from, to, type]);
}

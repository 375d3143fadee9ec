import type { Knex } from 'knex';
import type { Db } from '../../infra/database.ts';
import type { Entity, Graph, MemoryState, Relation } from '../../integrations/agent-state.ts';
import { ActionError } from '../../integrations/definition.ts';
import type { StateOwner } from '../../store/kv-entries.ts';
import {
  deleteEntities,
  findEntities,
  findEntityNames,
  measureEntities,
  putEntities,
  searchEntities,
} from '../../store/memory-entities.ts';
import { countRelations, deleteRelations, insertRelations, listRelations } from '../../store/memory-relations.ts';
import { changeState } from './change-state.ts';

const MAX_ENTITIES = 10_000;
const MAX_RELATIONS = 20_000;
const GRAPH_MAX_BYTES = 8 * 1024 * 1024;
const ENTITY_MAX_OBSERVATIONS = 1000;
const ENTITY_MAX_BYTES = 256 * 1024;

const SEARCH_MAX_ENTITIES = 100;
/**
 * Maximum bytes of JSON for the entities, and as many for the relations. The whole result stays
 * below the size limit of a code run's result.
 */
const RESULT_MAX_BYTES = 384 * 1024;

/** The knowledge graph of one owner. Changes are serialized, and each change is atomic. */
export function openMemoryState(db: Db, owner: StateOwner): MemoryState {
  const change = <Result>(work: (tx: Knex.Transaction) => Promise<Result>) => changeState(db, 'memory', owner, work);

  return {
    createEntities: (entities) =>
      change(async (tx) => {
        const drafts = await readDrafts(tx, owner, entities);
        const results = entities.map(({ name, type, observations }) => {
          const created = !drafts.has(name);
          if (created) drafts.set(name, { name, type, observations: new Set(), isChanged: true });
          const draft = drafts.get(name)!;
          return { name, type: draft.type, created, addedObservations: addAll(draft, observations).length };
        });
        await writeDrafts(tx, owner, drafts);
        return results;
      }),

    addObservations: (observations) =>
      change(async (tx) => {
        const names = observations.map(({ entityName }) => ({ name: entityName }));
        const drafts = await readDrafts(tx, owner, names);
        assertNoneMissing(names.map(({ name }) => name).filter((name) => !drafts.has(name)));
        const results = observations.map(({ entityName, contents }) => {
          const added = addAll(drafts.get(entityName)!, contents);
          return { entityName, added, known: without(contents, added) };
        });
        await writeDrafts(tx, owner, drafts);
        return results;
      }),

    deleteObservations: (entityName, observations) =>
      change(async (tx) => {
        const drafts = await readDrafts(tx, owner, [{ name: entityName }]);
        const draft = drafts.get(entityName);
        if (!draft) return undefined;
        const deleted = [...new Set(observations)].filter((text) => draft.observations.delete(text));
        draft.isChanged = deleted.length > 0;
        await writeDrafts(tx, owner, drafts);
        return { deleted, left: draft.observations.size };
      }),

    deleteEntities: (names) =>
      change(async (tx) => {
        const deletedRelations = await countRelations(tx, owner, names);
        return { deleted: await deleteEntities(tx, owner, names), deletedRelations };
      }),

    createRelations: (relations) =>
      change(async (tx) => {
        const names = [...new Set(relations.flatMap(({ from, to }) => [from, to]))];
        assertNoneMissing(without(names, await findEntityNames(tx, owner, names)));
        const created = new Set((await insertRelations(tx, owner, uniqueRelations(relations))).map(keyOf));
        if ((await countRelations(tx, owner)) > MAX_RELATIONS)
          throw new ActionError(`The memory is full: it holds at most ${MAX_RELATIONS} relations. Delete some first.`);
        return relations.map((relation) => ({ ...relation, created: created.delete(keyOf(relation)) }));
      }),

    deleteRelations: (relations) => change((tx) => deleteRelations(tx, owner, relations)),

    search: (words) => readGraph(db, owner, words, SEARCH_MAX_ENTITIES),
    readGraph: () => readGraph(db, owner, [], MAX_ENTITIES),

    async getEntity(name) {
      const [entity] = await findEntities(db, owner, [name]);
      if (!entity) return undefined;
      const { relations, total } = await listRelations(db, owner, { touching: [name], maxBytes: RESULT_MAX_BYTES });
      return { entity, relations, truncated: relations.length < total };
    },
  };
}

async function readGraph(db: Db, owner: StateOwner, words: readonly string[], limit: number): Promise<Graph> {
  const found = await searchEntities(db, owner, { words, limit, maxBytes: RESULT_MAX_BYTES });
  const touching = words.length > 0 ? found.entities.map(({ name }) => name) : undefined;
  const related = await listRelations(db, owner, { touching, maxBytes: RESULT_MAX_BYTES });
  return {
    entities: found.entities,
    relations: related.relations,
    truncated: found.entities.length < found.total || related.relations.length < related.total,
  };
}

/** `observations` keeps the order in which they were added. */
interface Draft {
  name: string;
  type: string;
  observations: Set<string>;
  isChanged: boolean;
}

async function readDrafts(tx: Db, owner: StateOwner, named: readonly { name: string }[]): Promise<Map<string, Draft>> {
  const found = await findEntities(tx, owner, [...new Set(named.map(({ name }) => name))]);
  return new Map(
    found.map(({ name, type, observations }) => [name, { name, type, observations: new Set(observations), isChanged: false }]),
  );
}

async function writeDrafts(tx: Db, owner: StateOwner, drafts: ReadonlyMap<string, Draft>): Promise<void> {
  const changed = [...drafts.values()].filter(({ isChanged }) => isChanged).map(toEntity);
  if (changed.length === 0) return;
  await putEntities(tx, owner, changed);
  const { count, sizeBytes } = await measureEntities(tx, owner);
  if (count > MAX_ENTITIES) throw new ActionError(`The memory is full: it holds at most ${MAX_ENTITIES} entities. Delete some first.`);
  if (sizeBytes > GRAPH_MAX_BYTES)
    throw new ActionError(`The memory is full: it holds at most ${GRAPH_MAX_BYTES} bytes of text. Delete some of it first.`);
}

function toEntity({ name, type, observations }: Draft): { name: string; type: string; observations: string[]; sizeBytes: number } {
  if (observations.size > ENTITY_MAX_OBSERVATIONS)
    throw new ActionError(`The entity ${JSON.stringify(name)} is full: it holds at most ${ENTITY_MAX_OBSERVATIONS} observations.`);
  const sizeBytes = [name, type, ...observations].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (sizeBytes > ENTITY_MAX_BYTES)
    throw new ActionError(`The entity ${JSON.stringify(name)} is full: it holds at most ${ENTITY_MAX_BYTES} bytes of text.`);
  return { name, type, observations: [...observations], sizeBytes };
}

function addAll(draft: Draft, contents: Entity['observations']): string[] {
  const added = without([...new Set(contents)], [...draft.observations]);
  for (const text of added) draft.observations.add(text);
  draft.isChanged ||= added.length > 0;
  return added;
}

function assertNoneMissing(missing: readonly string[]): void {
  if (missing.length === 0) return;
  const named = missing.slice(0, 5).map((name) => JSON.stringify(name));
  const more = missing.length > named.length ? ` and ${missing.length - named.length} more` : '';
  throw new ActionError(`There is no entity named ${named.join(', ')}${more}. Create it first with create_entities; nothing was changed.`, {
    reason: 'not_found',
  });
}

function without(texts: readonly string[], others: readonly string[]): string[] {
  const excluded = new Set(others);
  return [...new Set(texts)].filter((text) => !excluded.has(text));
}

function uniqueRelations(relations: readonly Relation[]): Relation[] {
  return [...new Map(relations.map((relation) => [keyOf(relation), relation])).values()];
}

function keyOf({ from, to, type }: Relation): string {
  return JSON.stringify([from, to, type]);
}

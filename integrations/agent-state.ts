/** What an agent knows: things, what was observed of them, and how they relate. */
export interface MemoryState {
  /** Makes entities, or adds the observations to those there are, whose type stays. In the order given. */
  createEntities(entities: readonly Entity[]): Promise<{ name: string; type: string; created: boolean; addedObservations: number }[]>;
  /** Adds what is not known yet. ACTION_FAILED, changing nothing, where an entity is missing. In the order given. */
  addObservations(
    observations: readonly { entityName: string; contents: readonly string[] }[],
  ): Promise<{ entityName: string; added: string[]; known: string[] }[]>;
  /** ACTION_FAILED, changing nothing, where an entity is missing. In the order given. */
  createRelations(relations: readonly Relation[]): Promise<(Relation & { created: boolean })[]>;
  /** Entities that hold every word in their name, type or observations, whatever its case, and the relations that touch them. */
  search(words: readonly string[]): Promise<Graph>;
  readGraph(): Promise<Graph>;
  getEntity(name: string): Promise<{ entity: StoredEntity; relations: Relation[]; truncated: boolean } | undefined>;
  /** With their relations. Answers the names that there were. */
  deleteEntities(names: readonly string[]): Promise<{ deleted: string[]; deletedRelations: number }>;
  /** Answers the observations that there were; undefined where the entity is missing. */
  deleteObservations(entityName: string, observations: readonly string[]): Promise<{ deleted: string[]; left: number } | undefined>;
  /** Answers the relations that there were. */
  deleteRelations(relations: readonly Relation[]): Promise<Relation[]>;
}

export interface Entity {
  name: string;
  type: string;
  observations: readonly string[];
}

export interface StoredEntity extends Entity {
  createdAt: Date;
  updatedAt: Date;
}

/** `from` and `to` name entities. */
export interface Relation {
  from: string;
  to: string;
  type: string;
}

/** Oldest first, and whether there is more than fits. */
export interface Graph {
  entities: StoredEntity[];
  relations: Relation[];
  truncated: boolean;
}

/** Pages of notes by name. */
export interface PageState {
  read(name: string): Promise<(PageInfo & { content: string }) | undefined>;
  /** Replaces what was there. */
  write(name: string, content: string): Promise<PageInfo & { created: boolean }>;
  /** Adds to the end, making the page where there is none. */
  append(name: string, content: string): Promise<PageInfo & { created: boolean }>;
  /** By name. */
  list(): Promise<PageInfo[]>;
  /** Pages that hold every word in their name or content, whatever its case, changed last first. */
  search(words: readonly string[]): Promise<{ pages: (PageInfo & { excerpt: string })[]; truncated: boolean }>;
  /** Whether there was something to delete. */
  delete(name: string): Promise<boolean>;
  /** Answers how many pages there were. */
  clear(): Promise<number>;
}

export interface PageInfo {
  name: string;
  sizeBytes: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Chains of thoughts. The thoughts of a chain, those of its branches too, are numbered from 1 in the order in which they came. */
export interface ThoughtState {
  /** Continues the main line, making the chain where there is none. */
  add(chainId: string, content: string): Promise<Place>;
  /** Starts a branch from a thought, or continues it where there is one that starts there or holds that thought; else ACTION_FAILED. */
  branch(chainId: string, branch: { name: string; thoughtId: number }, content: string): Promise<Place>;
  /** Replaces the text of a thought and keeps the earlier one; answers how often it was revised. ACTION_FAILED where there is no such thought. */
  revise(chainId: string, thoughtId: number, content: string): Promise<{ revision: number }>;
  /** By number; empty where there is no such chain. */
  read(chainId: string): Promise<Thought[]>;
}

/** Where a thought came to stand. */
export interface Place {
  thoughtId: number;
  /** Null for the first of a chain. */
  follows: number | null;
  /** How many thoughts the chain has now. */
  thoughtCount: number;
}

export interface Thought {
  thoughtId: number;
  /** Null on the main line. */
  branch: string | null;
  follows: number | null;
  content: string;
  /** What it said before, oldest first. */
  earlier: string[];
  createdAt: Date;
  updatedAt: Date;
}

/** The memory of an agent: entities, observations about them, and relations between them. */
export interface MemoryState {
  /**
   * Creates entities, or adds observations to existing ones. Results are in the order of
   * `entities`.
   */
  createEntities(entities: readonly Entity[]): Promise<{ name: string; type: string; created: boolean; addedObservations: number }[]>;
  /**
   * Adds new observations. Throws ACTION_FAILED and changes nothing if an entity is missing.
   * Results are in the order of `observations`.
   */
  addObservations(
    observations: readonly { entityName: string; contents: readonly string[] }[],
  ): Promise<{ entityName: string; added: string[]; known: string[] }[]>;
  /**
   * Creates relations. Throws ACTION_FAILED and changes nothing if an entity is missing. Results
   * are in the order of `relations`.
   */
  createRelations(relations: readonly Relation[]): Promise<(Relation & { created: boolean })[]>;
  /** Finds entities that contain every word, ignoring case. The result includes their relations. */
  search(words: readonly string[]): Promise<Graph>;
  readGraph(): Promise<Graph>;
  getEntity(name: string): Promise<{ entity: StoredEntity; relations: Relation[]; truncated: boolean } | undefined>;
  /** Deletes entities with their relations. Returns the names that existed. */
  deleteEntities(names: readonly string[]): Promise<{ deleted: string[]; deletedRelations: number }>;
  /** Returns the observations that existed, or undefined if the entity is missing. */
  deleteObservations(entityName: string, observations: readonly string[]): Promise<{ deleted: string[]; left: number } | undefined>;
  /** Returns the relations that existed. */
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

/** `from` and `to` are names of entities. */
export interface Relation {
  from: string;
  to: string;
  type: string;
}

/** Oldest first. `truncated`: whether there are more. */
export interface Graph {
  entities: StoredEntity[];
  relations: Relation[];
  truncated: boolean;
}

/** Pages of notes by name. */
export interface PageState {
  read(name: string): Promise<(PageInfo & { content: string }) | undefined>;
  write(name: string, content: string): Promise<PageInfo & { created: boolean }>;
  append(name: string, content: string): Promise<PageInfo & { created: boolean }>;
  /** Sorted by name. */
  list(): Promise<PageInfo[]>;
  /** Finds pages that contain every word, ignoring case. Ordered by last change, newest first. */
  search(words: readonly string[]): Promise<{ pages: (PageInfo & { excerpt: string })[]; truncated: boolean }>;
  /** Returns whether the page existed. */
  delete(name: string): Promise<boolean>;
  /** Returns the number of deleted pages. */
  clear(): Promise<number>;
}

export interface PageInfo {
  name: string;
  sizeBytes: number;
  createdAt: Date;
  updatedAt: Date;
}

/**
 * Chains of thoughts. A chain and its branches share one numbering, from 1, in the order of
 * arrival.
 */
export interface ThoughtState {
  /** Creates the chain if it does not exist. */
  add(chainId: string, content: string): Promise<Place>;
  /**
   * Adds a thought to the branch `name`. Creates the branch at `thoughtId` if it does not exist.
   * Throws ACTION_FAILED if there is no such thought, or if an existing branch neither starts at
   * the thought nor contains it.
   */
  branch(chainId: string, branch: { name: string; thoughtId: number }, content: string): Promise<Place>;
  /**
   * Replaces the text of a thought and keeps the earlier text. Throws ACTION_FAILED if there is no
   * such thought.
   */
  revise(chainId: string, thoughtId: number, content: string): Promise<{ revision: number }>;
  /** Sorted by number. Empty if there is no such chain. */
  read(chainId: string): Promise<Thought[]>;
}

/** The position of a new thought. */
export interface Place {
  thoughtId: number;
  /** Null for the first thought of a chain. */
  follows: number | null;
  thoughtCount: number;
}

export interface Thought {
  thoughtId: number;
  /** Null on the main line. */
  branch: string | null;
  follows: number | null;
  content: string;
  /** Oldest first. */
  earlier: string[];
  createdAt: Date;
  updatedAt: Date;
}

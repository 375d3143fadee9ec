/** The memory of an agent: entities, observations about them, and relations between them. */
export interface MemoryState {
  /**
   * Creates entities, or adds the observations to existing ones, whose type stays. Results are in
   * the given order.
   */
  createEntities(entities: readonly Entity[]): Promise<{ name: string; type: string; created: boolean; addedObservations: number }[]>;
  /**
   * Adds new observations. Throws ACTION_FAILED, changing nothing, if an entity is missing. Results
   * are in the given order.
   */
  addObservations(
    observations: readonly { entityName: string; contents: readonly string[] }[],
  ): Promise<{ entityName: string; added: string[]; known: string[] }[]>;
  /**
   * Throws ACTION_FAILED, changing nothing, if an entity is missing. Results are in the given
   * order.
   */
  createRelations(relations: readonly Relation[]): Promise<(Relation & { created: boolean })[]>;
  /**
   * Entities that contain every word in their name, type or observations, in any case, and the
   * relations of these entities.
   */
  search(words: readonly string[]): Promise<Graph>;
  readGraph(): Promise<Graph>;
  getEntity(name: string): Promise<{ entity: StoredEntity; relations: Relation[]; truncated: boolean } | undefined>;
  /** Deletes entities with their relations. Returns the names that existed. */
  deleteEntities(names: readonly string[]): Promise<{ deleted: string[]; deletedRelations: number }>;
  /** Returns the observations that existed; undefined if the entity is missing. */
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

/** `from` and `to` name entities. */
export interface Relation {
  from: string;
  to: string;
  type: string;
}

/** Oldest first; `truncated` if there is more than the limit. */
export interface Graph {
  entities: StoredEntity[];
  relations: Relation[];
  truncated: boolean;
}

/** Pages of notes by name. */
export interface PageState {
  read(name: string): Promise<(PageInfo & { content: string }) | undefined>;
  /** Replaces the content. */
  write(name: string, content: string): Promise<PageInfo & { created: boolean }>;
  /** Appends to the end, creating the page if needed. */
  append(name: string, content: string): Promise<PageInfo & { created: boolean }>;
  /** By name. */
  list(): Promise<PageInfo[]>;
  /**
   * Pages that contain every word in their name or content, in any case, the last changed first.
   */
  search(words: readonly string[]): Promise<{ pages: (PageInfo & { excerpt: string })[]; truncated: boolean }>;
  /** True if there was something to delete. */
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
 * Chains of thoughts. The thoughts of a chain, branches included, are numbered from 1 in the order
 * of arrival.
 */
export interface ThoughtState {
  /** Continues the main line, creating the chain if needed. */
  add(chainId: string, content: string): Promise<Place>;
  /**
   * Starts a branch from a thought, or continues the branch of this name if it starts there or
   * contains that thought; otherwise throws ACTION_FAILED.
   */
  branch(chainId: string, branch: { name: string; thoughtId: number }, content: string): Promise<Place>;
  /**
   * Replaces the text of a thought and keeps the earlier one. Returns the number of revisions.
   * Throws ACTION_FAILED if there is no such thought.
   */
  revise(chainId: string, thoughtId: number, content: string): Promise<{ revision: number }>;
  /** Ordered by number; empty if there is no such chain. */
  read(chainId: string): Promise<Thought[]>;
}

/** The position of a new thought. */
export interface Place {
  thoughtId: number;
  /** Null for the first of a chain. */
  follows: number | null;
  /** The number of thoughts in the chain. */
  thoughtCount: number;
}

export interface Thought {
  thoughtId: number;
  /** Null on the main line. */
  branch: string | null;
  follows: number | null;
  content: string;
  /** Earlier texts, oldest first. */
  earlier: string[];
  createdAt: Date;
  updatedAt: Date;
}

/** The memory of an agent: entities, observations about them, and relations between them. */
export interface MemoryState {
  /**
   * Creates entities. If an entity exists, adds the observations to it and keeps its type. Results
   * are in the order of `entities`.
   */
  createEntities(entities: readonly Entity[]): Promise<{ name: string; type: string; created: boolean; addedObservations: number }[]>;
  /**
   * Adds new observations. If an entity is missing, changes nothing and throws ACTION_FAILED.
   * Results are in the order of `observations`.
   */
  addObservations(
    observations: readonly { entityName: string; contents: readonly string[] }[],
  ): Promise<{ entityName: string; added: string[]; known: string[] }[]>;
  /**
   * Creates relations. If an entity is missing, changes nothing and throws ACTION_FAILED. Results
   * are in the order of `relations`.
   */
  createRelations(relations: readonly Relation[]): Promise<(Relation & { created: boolean })[]>;
  /**
   * Finds entities that contain every word in their name, type or observations, ignoring case. Also
   * returns the relations of these entities.
   */
  search(words: readonly string[]): Promise<Graph>;
  readGraph(): Promise<Graph>;
  getEntity(name: string): Promise<{ entity: StoredEntity; relations: Relation[]; truncated: boolean } | undefined>;
  /** Deletes entities with their relations. Returns the names that existed. */
  deleteEntities(names: readonly string[]): Promise<{ deleted: string[]; deletedRelations: number }>;
  /**
   * Deletes observations. Returns the observations that existed, or undefined if the entity is
   * missing.
   */
  deleteObservations(entityName: string, observations: readonly string[]): Promise<{ deleted: string[]; left: number } | undefined>;
  /** Deletes relations. Returns the relations that existed. */
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

/** A relation between two entities. `from` and `to` are names of entities. */
export interface Relation {
  from: string;
  to: string;
  type: string;
}

/** Entities and relations, oldest first. `truncated`: whether there are more than returned. */
export interface Graph {
  entities: StoredEntity[];
  relations: Relation[];
  truncated: boolean;
}

/** Pages of notes by name. */
export interface PageState {
  read(name: string): Promise<(PageInfo & { content: string }) | undefined>;
  /** Replaces the content of a page. Creates the page if it does not exist. */
  write(name: string, content: string): Promise<PageInfo & { created: boolean }>;
  /** Appends to the end of a page. Creates the page if it does not exist. */
  append(name: string, content: string): Promise<PageInfo & { created: boolean }>;
  /** All pages, sorted by name. */
  list(): Promise<PageInfo[]>;
  /**
   * Finds pages that contain every word in their name or content, ignoring case. The last changed
   * page comes first.
   */
  search(words: readonly string[]): Promise<{ pages: (PageInfo & { excerpt: string })[]; truncated: boolean }>;
  /** Deletes a page. Returns whether it existed. */
  delete(name: string): Promise<boolean>;
  /** Deletes all pages. Returns their number. */
  clear(): Promise<number>;
}

export interface PageInfo {
  name: string;
  sizeBytes: number;
  createdAt: Date;
  updatedAt: Date;
}

/**
 * Chains of thoughts. The thoughts of a chain and its branches share one numbering, from 1, in the
 * order of arrival.
 */
export interface ThoughtState {
  /** Adds a thought to the main line. Creates the chain if it does not exist. */
  add(chainId: string, content: string): Promise<Place>;
  /**
   * Adds a thought to the branch `name`. Creates the branch at the thought `thoughtId` if there is
   * no such branch. An existing branch must start at that thought or contain it. Throws
   * ACTION_FAILED otherwise, or if there is no such thought.
   */
  branch(chainId: string, branch: { name: string; thoughtId: number }, content: string): Promise<Place>;
  /**
   * Replaces the text of a thought and keeps the earlier text. Returns the number of revisions so
   * far. Throws ACTION_FAILED if there is no such thought.
   */
  revise(chainId: string, thoughtId: number, content: string): Promise<{ revision: number }>;
  /** The thoughts of a chain, sorted by number. Empty if there is no such chain. */
  read(chainId: string): Promise<Thought[]>;
}

/** The position of a new thought. */
export interface Place {
  thoughtId: number;
  /** The thought that the new thought follows. Null for the first thought of a chain. */
  follows: number | null;
  /** The number of thoughts in the chain. */
  thoughtCount: number;
}

export interface Thought {
  thoughtId: number;
  /** The branch of the thought. Null on the main line. */
  branch: string | null;
  follows: number | null;
  content: string;
  /** Earlier texts, oldest first. */
  earlier: string[];
  createdAt: Date;
  updatedAt: Date;
}

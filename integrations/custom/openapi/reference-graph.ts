import { isObject } from '../../schema/evaluation.ts';
import { LeftOutError } from './left-out.ts';
import { lookUp } from './references.ts';

interface Node {
  references: readonly string[];
  problem?: LeftOutError;
  /** Whether the schema has read-only or write-only properties. */
  hasSides: boolean;
}

/** A `$ref` inside these keywords is an ordinary key. */
const DATA = new Set(['const', 'enum', 'default', 'example', 'examples']);
/** The keys inside these keywords are names, not keywords. */
const MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);

/** The schemas of a document and their references. Each schema is scanned once. */
export class ReferenceGraph {
  readonly #document: unknown;
  readonly #nodes = new Map<string, Node>();
  readonly #sound = new Set<string>();
  readonly #withoutSides = new Set<string>();
  readonly #withSides = new Set<string>();

  constructor(document: unknown) {
    this.#document = document;
  }

  /** Throws LeftOutError if a reference reachable from `references` cannot be resolved. */
  assertSound(references: readonly string[]): void {
    const seen = this.#walk(references, this.#sound, ({ problem }) => {
      if (problem) throw problem;
      return false;
    });
    for (const reference of seen ?? []) this.#sound.add(reference);
  }

  /**
   * Whether a schema differs between requests and answers, because it reaches read-only or
   * write-only properties.
   */
  hasSides(reference: string): boolean {
    if (this.#withSides.has(reference)) return true;
    const seen = this.#walk([reference], this.#withoutSides, ({ hasSides }, at) => hasSides || this.#withSides.has(at));
    if (!seen) this.#withSides.add(reference);
    for (const at of seen ?? []) this.#withoutSides.add(at);
    return seen === undefined;
  }

  /** Returns the visited schemas, or undefined if `isFound` stopped the walk. */
  #walk(references: readonly string[], known: ReadonlySet<string>, isFound: (node: Node, at: string) => boolean): Set<string> | undefined {
    const seen = new Set<string>();
    const open = [...references];
    while (open.length > 0) {
      const reference = open.pop()!;
      if (seen.has(reference) || known.has(reference)) continue;
      seen.add(reference);
      const node = this.#node(reference);
      if (isFound(node, reference)) return undefined;
      for (const next of node.references) open.push(next);
    }
    return seen;
  }

  #node(reference: string): Node {
    const known = this.#nodes.get(reference);
    if (known) return known;
    const node = this.#scan(reference);
    this.#nodes.set(reference, node);
    return node;
  }

  #scan(reference: string): Node {
    try {
      const schema = lookUp(this.#document, reference);
      if (isPureCycle(this.#document, reference))
        throw new LeftOutError('broken_reference', `${JSON.stringify(reference.slice(0, 200))} refers to itself.`);
      return scanSchema(schema);
    } catch (error) {
      if (!(error instanceof LeftOutError)) throw error;
      return { references: [], problem: error, hasSides: false };
    }
  }
}

function isPureCycle(document: unknown, reference: string): boolean {
  const seen = new Set<string>();
  for (let at: unknown = reference; typeof at === 'string'; ) {
    if (seen.has(at)) return true;
    seen.add(at);
    const schema = lookUp(document, at);
    at = isObject(schema) ? schema.$ref : undefined;
  }
  return false;
}

/**
 * Returns the direct references of a schema, and whether it has read-only or write-only properties.
 */
export function scanSchema(schema: unknown): Node {
  const references = new Set<string>();
  let hasSides = false;
  const visit = (value: unknown, isMap: boolean): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item, false);
      return;
    }
    if (!isObject(value)) return;
    if (!isMap) {
      if (typeof value.$ref === 'string') references.add(value.$ref);
      hasSides ||= value.readOnly === true || value.writeOnly === true;
    }
    for (const key of Object.keys(value)) {
      if (!isMap && (DATA.has(key) || key.startsWith('x-'))) continue;
      visit(value[key], !isMap && MAPS.has(key));
    }
  };
  visit(schema, false);
  return { references: [...references], hasSides };
}

import { createHash } from 'node:crypto';
import { isObject } from '../../schema/evaluation.ts';
import type { JsonSchema } from '../../schema/value-schema.ts';
import { convertSchema, type Side } from './convert-schema.ts';
import { ReferenceGraph, scanSchema } from './reference-graph.ts';
import { follow, lookUp } from './references.ts';

const MAX_NAME_LENGTH = 80;

/**
 * Converts the schemas of a document to JSON Schema 2020-12. References stay references, so cycles
 * take no additional memory.
 */
export class Schemas {
  readonly #document: unknown;
  readonly #isOld: boolean;
  readonly #graph: ReferenceGraph;
  readonly #names = new Map<string, { name: string; side: Side }>();
  readonly #taken = new Set<string>();
  readonly #declared: ReadonlyMap<string, number>;
  readonly #definitions = new Map<string, JsonSchema>();
  readonly #waiting: { reference: string; side: Side; name: string }[] = [];

  constructor(document: unknown, isOld: boolean) {
    this.#document = document;
    this.#isOld = isOld;
    this.#graph = new ReferenceGraph(document);
    this.#declared = declaredNames(document);
  }

  /** Throws LeftOutError if a reference in the schema cannot be resolved. */
  convert(schema: unknown, side: Side): JsonSchema {
    this.#graph.assertSound(scanSchema(schema).references);
    const converted = this.#convert(schema, side);
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) {
      this.#definitions.set(next.name, this.#convert(lookUp(this.#document, next.reference), next.side));
    }
    return converted;
  }

  /** Follows a reference. Empty if the schema is not an object. */
  resolve(schema: unknown): Record<string, unknown> {
    const found = follow(this.#document, schema);
    return isObject(found) ? found : {};
  }

  get definitions(): Record<string, JsonSchema> {
    return Object.fromEntries(this.#definitions);
  }

  #convert(schema: unknown, side: Side): JsonSchema {
    const converted = convertSchema(schema, {
      side,
      isOld: this.#isOld,
      nameOf: (reference) => this.#nameOf(reference, side),
      resolve: (inner) => this.resolve(inner),
    });
    return typeof converted === 'boolean' ? (converted ? {} : { not: {} }) : converted;
  }

  #nameOf(reference: string, side: Side): string {
    const isOneSided = side === 'request' && this.#graph.hasSides(reference);
    const key = `${isOneSided ? 'request' : 'answer'} ${reference}`;
    const known = this.#names.get(key);
    if (known && (known.side === side || side === 'answer')) return known.name;
    // A schema that both sides share is converted as for requests.
    const name = known?.name ?? this.#freeName(this.#wantedName(reference, isOneSided ? '_request' : ''));
    this.#names.set(key, { name, side });
    this.#waiting.push({ reference, side, name });
    return name;
  }

  /**
   * The name does not depend on the order of the document. A hash of the reference makes ambiguous
   * names unique.
   */
  #wantedName(reference: string, suffix: string): string {
    const name = shortName(reference);
    const isOwn = DECLARED.test(reference) && (this.#declared.get(name) ?? 0) <= 1;
    if (isOwn && (suffix === '' || !this.#declared.has(name + suffix))) return name + suffix;
    return `${name}${suffix}_${createHash('sha256').update(reference).digest('hex').slice(0, 8)}`;
  }

  #freeName(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.#taken.has(name); number += 1) name = `${wanted}_${number}`;
    this.#taken.add(name);
    return name;
  }
}

const DECLARED = /^#\/(components\/schemas|definitions)\/[^/]+$/;

function declaredNames(document: unknown): Map<string, number> {
  const { components, definitions } = isObject(document) ? document : {};
  const counts = new Map<string, number>();
  for (const schemas of [isObject(components) ? components.schemas : undefined, definitions]) {
    for (const key of isObject(schemas) ? Object.keys(schemas) : []) {
      const name = shortName(key.replaceAll('/', '~1'));
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return counts;
}

/** Returns the last part of a reference, such as `Pet` of `#/components/schemas/Pet`. */
function shortName(reference: string): string {
  const last = reference.slice(reference.lastIndexOf('/') + 1).replaceAll('~1', '_');
  return last.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, MAX_NAME_LENGTH) || 'schema';
}

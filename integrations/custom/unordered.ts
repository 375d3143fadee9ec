import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { OperationCall } from '../declarative/operation.ts';
import { isObject } from '../schema/evaluation.ts';

/** Keywords whose list has no order. */
const SETS = ['required', 'enum', 'type', 'scopes', 'categories'];

/** SHA-256 in hexadecimal. Ignores the order of keys, and the order of items in lists of SETS. */
export function hashOf(value: unknown): string {
  return createHash('sha256')
    .update(canonicalize(mapSets(value, (items) => items.map(textOf).sort())) ?? 'null')
    .digest('hex');
}

/** Returns a copy in which the lists of SETS are sorted. */
export function withSortedSets(value: unknown): unknown {
  return mapSets(value, (items) => sortedBy(items, textOf));
}

/**
 * Returns a copy of an action, or of integration fields, whose lists without an order are sorted.
 */
export function withSortedParts(side: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { operation, auth } = side;
  return {
    ...side,
    ...(Array.isArray(auth) && { auth: sortedBy(auth, ({ key }) => key) }),
    ...(isObject(operation) && { operation: withSortedLists(operation as unknown as OperationCall) }),
  };
}

function withSortedLists({ parameters, body, accept, auth, ...operation }: OperationCall): OperationCall {
  const properties = body?.properties && sortedBy(body.properties, ([input]) => input);
  return {
    ...operation,
    parameters: sortedBy(parameters, ({ input }) => input),
    ...(body && { body: { ...body, ...(properties && { properties }) } }),
    ...(accept !== undefined && { accept: accept.split(', ').sort().join(', ') }),
    ...(auth && { auth: [...auth].sort() }),
  };
}

function mapSets(value: unknown, map: (items: readonly unknown[]) => unknown[], key = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => mapSets(item, map));
    return SETS.includes(key) ? map(items) : items;
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapSets(inner, map, name)]));
}

function textOf(value: unknown): string {
  return canonicalize(value) ?? 'null';
}

function sortedBy<Item>(items: readonly Item[], textFor: (item: Item) => string): Item[] {
  const pairs = items.map((item) => [textFor(item), item] as const);
  return pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, item]) => item);
}

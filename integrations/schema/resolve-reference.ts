import { isObject, type SubSchema } from './evaluation.ts';
import type { JsonSchema } from './value-schema.ts';

/** The schema that a reference within a document names. Anchors are found only in `$defs`. */
export function resolveReference(root: JsonSchema, reference: string): SubSchema | undefined {
  if (reference === '#') return root;
  if (reference.startsWith('#/')) return asSchema(valueAtPointer(root, reference.slice(1)));
  if (!reference.startsWith('#') || !isObject(root.$defs)) return undefined;
  const name = reference.slice(1);
  return asSchema(Object.values(root.$defs).find((sub) => isObject(sub) && (sub.$anchor === name || sub.$dynamicAnchor === name)));
}

/** RFC 6901. */
function valueAtPointer(document: unknown, pointer: string): unknown {
  let found = document;
  for (const part of pointer.slice(1).split('/')) {
    const key = decode(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function asSchema(value: unknown): SubSchema | undefined {
  return typeof value === 'boolean' || isObject(value) ? value : undefined;
}

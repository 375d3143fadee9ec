import { isObject } from '../../schema/evaluation.ts';
import { LeftOutError } from './left-out.ts';

const MAX_HOPS = 50;

/**
 * Returns the target of a reference. Throws LeftOutError if the target is missing or in another
 * document. Other documents are never fetched.
 */
export function lookUp(document: unknown, reference: string): unknown {
  if (!reference.startsWith('#')) throw new LeftOutError('remote_reference', `${quote(reference)} is outside of the document.`);
  if (reference !== '#' && !reference.startsWith('#/')) throw broken(reference);
  let value: unknown = document;
  for (const part of reference.split('/').slice(1)) {
    const key = decodePart(part);
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    if (!isThere) throw broken(reference);
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** Resolves a value that is a reference. For schemas use `Schemas`, which keeps references. */
export function follow(document: unknown, value: unknown): unknown {
  let found = value;
  for (let hops = 0; isObject(found) && typeof found.$ref === 'string'; hops += 1) {
    if (hops === MAX_HOPS) throw broken(found.$ref);
    found = lookUp(document, found.$ref);
  }
  return found;
}

/** Like `follow`, but returns an empty object instead of other values. */
export function followObject(document: unknown, value: unknown): Record<string, unknown> {
  const found = follow(document, value);
  return isObject(found) ? found : {};
}

function broken(reference: string): LeftOutError {
  return new LeftOutError('broken_reference', `${quote(reference)} has no target.`);
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}

function quote(reference: string): string {
  return JSON.stringify(reference.slice(0, 200));
}

import { isObject } from '../../schema/evaluation.ts';
import type { OpenapiDocument } from './dialect.ts';
import { LeftOutError } from './left-out.ts';
import type { Named } from './names.ts';
import { followObject } from './references.ts';

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);

/** An operation of a document. */
export interface Operation extends Named {
  tags: readonly string[];
  /** Empty if the operation is not an object. */
  content: Record<string, unknown>;
  pathItem: Record<string, unknown>;
  problem?: LeftOutError;
}

/** Returns all operations, in the order of the document. */
export function listOperations(document: OpenapiDocument): Operation[] {
  return Object.keys(document.paths).flatMap((path) => (path.startsWith('x-') ? [] : operationsOf(document, path)));
}

function operationsOf(document: OpenapiDocument, path: string): Operation[] {
  const { pathItem, problem } = pathItemOf(document, path);
  const methods = problem ? [undefined] : Object.keys(pathItem).filter((key) => METHODS.has(key.toLowerCase()));
  return methods.map((key): Operation => {
    const given = key === undefined ? {} : pathItem[key];
    const content = isObject(given) ? given : {};
    const method = key?.toUpperCase() ?? '*';
    const wrong = problem ?? problemOf(method, path, given);
    return {
      operation: `${method} ${path}`,
      ...{ method, path, content, pathItem },
      operationId: typeof content.operationId === 'string' ? content.operationId : undefined,
      tags: Array.isArray(content.tags) ? content.tags.filter((tag) => typeof tag === 'string') : [],
      ...(wrong && { problem: wrong }),
    };
  });
}

function pathItemOf(document: OpenapiDocument, path: string): { pathItem: Record<string, unknown>; problem?: LeftOutError } {
  try {
    const item = document.paths[path];
    if (!isObject(item)) return { pathItem: {} };
    return { pathItem: typeof item.$ref === 'string' ? { ...followObject(document, item), ...withoutReference(item) } : item };
  } catch (error) {
    if (!(error instanceof LeftOutError)) throw error;
    return { pathItem: {}, problem: error };
  }
}

function withoutReference({ $ref: _, ...item }: Record<string, unknown>): Record<string, unknown> {
  return item;
}

function problemOf(method: string, path: string, given: unknown): LeftOutError | undefined {
  if (!isObject(given)) return new LeftOutError('invalid_operation', 'The operation is not an object.');
  if (method === 'TRACE') return new LeftOutError('invalid_operation', 'The method TRACE is not supported.');
  const unsafe = unsafePath(path);
  return unsafe === undefined ? undefined : new LeftOutError('unsafe_path', unsafe);
}

/**
 * Returns why a request to this path could reach another path or host. Undefined for a safe path.
 */
function unsafePath(path: string): string | undefined {
  if (!path.startsWith('/')) return 'The path does not begin with a slash.';
  if (path.length > 2000) return 'The path is longer than 2,000 characters.';
  const literal = path.replace(/\{[^{}]*\}/g, 'x');
  if (/[?#\\\u0000-\u001f\u007f{}]/.test(literal)) return 'The path has a character that would end or change it.';
  if (literal.startsWith('//')) return 'The path names another host.';
  const isDots = (segment: string) => /^(\.|%2e){1,2}$/i.test(segment);
  if (literal.split(/\/|%2f|%5c/i).some(isDots)) return 'The path has a segment of dots, which would lead to another path.';
  return undefined;
}

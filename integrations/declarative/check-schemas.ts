import { isObject, type Path } from '../schema/evaluation.ts';
import { compilePattern } from '../schema/pattern.ts';
import { resolveReference } from '../schema/resolve-reference.ts';
import type { JsonSchema } from '../schema/value-schema.ts';
import type { DocumentProblem } from './document-problem.ts';

/** Finds invalid patterns, and references without a target, in the schemas of a document. */
export function checkSchemas(document: Record<string, unknown>): DocumentProblem[] {
  const definitions = isObject(document.$defs) ? document.$defs : {};
  return schemasOf(document).flatMap(({ schema, path }) => {
    const root: JsonSchema = { ...schema, $defs: { ...definitions, ...(isObject(schema.$defs) ? schema.$defs : {}) } };
    return walk(schema, path, root);
  });
}

interface Found {
  schema: Record<string, unknown>;
  path: Path;
}

function schemasOf(document: Record<string, unknown>): Found[] {
  const found: Found[] = [];
  const add = (schema: unknown, path: Path) => {
    if (isObject(schema)) found.push({ schema, path });
  };
  for (const [name, schema] of entries(document.$defs)) add(schema, ['$defs', name]);
  for (const [name, action] of entries(document.actions)) {
    if (!isObject(action)) continue;
    add(action.input, ['actions', name, 'input']);
    add(action.output, ['actions', name, 'output']);
  }
  if (Array.isArray(document.auth))
    for (const [index, method] of document.auth.entries()) if (isObject(method)) add(method.props, ['auth', index, 'props']);
  return found;
}

const DATA = ['const', 'enum', 'default', 'examples'];

function walk(value: unknown, path: Path, root: JsonSchema): DocumentProblem[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => walk(item, [...path, index], root));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]): DocumentProblem[] => {
    const at = [...path, key];
    if (DATA.includes(key)) return [];
    if (key === 'pattern' && typeof inner === 'string') return patternProblems(inner, at);
    if (key === 'patternProperties' && isObject(inner))
      return Object.entries(inner).flatMap(([name, schema]) => [
        ...patternProblems(name, [...at, name]),
        ...walk(schema, [...at, name], root),
      ]);
    if (key === '$ref' && typeof inner === 'string' && resolveReference(root, inner) === undefined)
      return [{ path: at, message: `there is no schema ${inner.slice(0, 200)} in this document` }];
    return walk(inner, at, root);
  });
}

function patternProblems(pattern: string, path: Path): DocumentProblem[] {
  try {
    compilePattern(pattern);
    return [];
  } catch (error) {
    return [{ path, message: (error as Error).message.slice(0, 300) }];
  }
}

function entries(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

import { type JsonValue, query } from 'jsonpath-rfc9535';
import parse from 'jsonpath-rfc9535/parser';
import { z } from 'zod';
import { ActionError } from '../../definition.ts';
import type { Problem } from '../check-together.ts';
import { runBriefly } from '../run-briefly.ts';

const MAX_FIELDS = 100;
/** Limits of all paths together: characters, and ms to parse them. */
const PATHS_MAX_LENGTH = 10_000;
const TIME_LIMIT_MS = 250;
const RESULT_MAX_LENGTH = 1024 * 1024;

/** A JSONPath for each output field. */
export const pathMapping = z
  .record(z.string().min(1).max(200), z.string().min(1, { abort: true }).max(1000, { abort: true }))
  .superRefine((mapping, context) => {
    for (const problem of mappingProblems(mapping)) context.addIssue({ code: 'custom', ...problem });
  })
  .describe(
    'output field to JSONPath: "$.user.name" gives the value, or null; a path that may match several values, such as "$.items[*].id", gives a list',
  );

/**
 * Selects fields of the input by JSONPath. Throws ActionError if the result is too large. The
 * caller must limit the time.
 */
export function transformJson(input: unknown, mapping: Readonly<Record<string, string>>): Record<string, unknown> {
  let length = 0;
  const fields = Object.entries(mapping).map(([field, path]): [string, unknown] => {
    const matches = query(input as JsonValue, path);
    for (const match of matches) {
      length += JSON.stringify(match).length;
      if (length > RESULT_MAX_LENGTH) throw new ActionError('The result would be larger than 1 MB. Use paths that match less.');
    }
    return [field, isSingularPath(path) ? (matches[0] ?? null) : matches];
  });
  return Object.fromEntries(fields);
}

function mappingProblems(mapping: Readonly<Record<string, string>>): Problem[] {
  const entries = Object.entries(mapping);
  if (entries.length > MAX_FIELDS) return [{ path: [], message: `holds too many fields: at most ${MAX_FIELDS}` }];
  if (entries.reduce((sum, [, path]) => sum + path.length, 0) > PATHS_MAX_LENGTH)
    return [{ path: [], message: `holds more than ${PATHS_MAX_LENGTH} characters of paths together` }];
  try {
    const wrong = runBriefly(TIME_LIMIT_MS, () => entries.filter(([, path]) => !isPath(path)));
    return wrong.map(([field, path]) => ({
      path: [field],
      message: `${JSON.stringify(path)} is not a JSONPath (RFC 9535), such as $.items[0].name`,
    }));
  } catch {
    return [{ path: [], message: `holds paths that take longer than ${TIME_LIMIT_MS} ms to parse` }];
  }
}

function isPath(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a path is a singular query (RFC 9535). */
function isSingularPath(path: string): boolean {
  return parse(path).segments.every(({ type, node }) => {
    if (type === 'DescendantSegment') return false;
    if (node.type !== 'BracketedSelection') return node.type === 'MemberNameShorthand';
    const [selector, ...more] = node.selectors;
    return more.length === 0 && (selector?.type === 'NameSelector' || selector?.type === 'IndexSelector');
  });
}

import { type JsonValue, query } from 'jsonpath-rfc9535';
import parse from 'jsonpath-rfc9535/parser';
import { ActionError } from '../definition.ts';
import { runBriefly } from './run-briefly.ts';

const TIME_LIMIT_MS = 250;
const RESULT_MAX_LENGTH = 1024 * 1024;

/** Picks each field of the result out of the input by its JSONPath. Paths can be written that never end or match everything many times over: time and size are bounded. */
export function transformJson(input: unknown, mapping: Readonly<Record<string, string>>): Record<string, unknown> {
  return runBriefly(TIME_LIMIT_MS, () => {
    let length = 0;
    const fields = Object.entries(mapping).map(([field, path]): [string, unknown] => {
      const { matches, isSingular } = evaluate(input, field, path);
      for (const match of matches) {
        length += JSON.stringify(match).length;
        if (length > RESULT_MAX_LENGTH) throw new ActionError('The result would be larger than 1 MB. Let the paths match less.');
      }
      return [field, isSingular ? (matches[0] ?? null) : matches];
    });
    return Object.fromEntries(fields);
  });
}

function evaluate(input: unknown, field: string, path: string) {
  try {
    return { matches: query(input as JsonValue, path), isSingular: isSingularPath(path) };
  } catch (cause) {
    throw new ActionError(`mapping.${field}: ${JSON.stringify(path)} is not a JSONPath (RFC 9535), such as $.items[0].name.`, undefined, {
      cause,
    });
  }
}

/** Whether a path can match one value at most (RFC 9535, singular queries). */
function isSingularPath(path: string): boolean {
  return parse(path).segments.every(({ type, node }) => {
    if (type === 'DescendantSegment') return false;
    if (node.type !== 'BracketedSelection') return node.type === 'MemberNameShorthand';
    const [selector, ...more] = node.selectors;
    return more.length === 0 && (selector?.type === 'NameSelector' || selector?.type === 'IndexSelector');
  });
}

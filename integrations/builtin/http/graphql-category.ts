import type { ActionCategory } from '../../../domain/policies/policy.ts';

/**
 * Returns `read` if a GraphQL document has only queries and fragments and can be parsed to its end,
 * else `write`. Takes linear time.
 */
export function graphqlCategory(document: string): ActionCategory {
  // Some servers end a line, and so a comment, at these characters; others do not.
  if (/[\0\v\f\u0085\u2028\u2029]/.test(document)) return 'write';
  let depth = 0;
  let startsDefinition = true;
  for (let at = 0; at < document.length; ) {
    const token = tokenAt(document, at);
    if (token === undefined) return 'write';
    at += token.length;
    if (startsDefinition && /^[\w{]/.test(token)) {
      if (!READING.has(token)) return 'write';
      startsDefinition = false;
    }
    if (OPENING.has(token)) depth += 1;
    else if (CLOSING.has(token)) depth -= 1;
    if (depth < 0) return 'write';
    // A selection set ends its definition; braces before it are inside parentheses.
    if (token === '}' && depth === 0) startsDefinition = true;
  }
  return depth === 0 && startsDefinition ? 'read' : 'write';
}

const READING = new Set(['{', 'query', 'fragment']);
const OPENING = new Set(['{', '(', '[']);
const CLOSING = new Set(['}', ')', ']']);

const TOKEN = /\w+|[{}()[\]]|#[^\n\r]*|"(?!"")(?:[^"\\\n\r]|\\.)*"|[^\w{}()[\]#"]+/y;

/** Undefined for an unterminated string. */
function tokenAt(document: string, at: number): string | undefined {
  if (document.startsWith('"""', at)) {
    const end = endOfBlockString(document, at + 3);
    return end === undefined ? undefined : document.slice(at, end);
  }
  TOKEN.lastIndex = at;
  return TOKEN.exec(document)?.[0];
}

function endOfBlockString(document: string, from: number): number | undefined {
  let end = document.indexOf('"""', from);
  while (end > from && document[end - 1] === '\\') end = document.indexOf('"""', end + 3);
  return end === -1 ? undefined : end + 3;
}

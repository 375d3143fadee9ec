import pg from 'pg';

type Parse = (text: string) => unknown;

/** Times, intervals, points, circles and bytes: JSON has no such types. */
const AS_TEXT = new Set([17, 600, 718, 1082, 1083, 1114, 1184, 1186, 1266]);
/** Lists of these types, except circles. */
const LISTS_OF_TEXT = new Set([1001, 1017, 1115, 1182, 1183, 1185, 1187, 1270]);
const BIGINT = 20;
const FLOATS = new Set([700, 701]);
const JSONS = new Set([114, 3802]);
const TEXT_LIST = 1009;

/**
 * Parsers from PostgreSQL values to JSON values, by the OID of the type. `scrub` hides secrets in
 * each value.
 */
export function valueParsers(scrub: (text: string) => string): { getTypeParser(oid: number): Parse } {
  return {
    getTypeParser(oid) {
      const parse = parserOf(oid);
      return (text) => parse(scrub(text));
    },
  };
}

function parserOf(oid: number): Parse {
  if (AS_TEXT.has(oid)) return (text) => text;
  if (oid === BIGINT) return (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : text);
  if (FLOATS.has(oid)) return (text) => (Number.isFinite(Number(text)) ? Number(text) : text);
  if (JSONS.has(oid)) return jsonOrText;
  return pg.types.getTypeParser(LISTS_OF_TEXT.has(oid) ? TEXT_LIST : oid, 'text');
}

/** JSON remains a text if it is no longer valid, because a secret in it was hidden. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

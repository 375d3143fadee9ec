/** Counts of a JSON text. */
export interface JsonCounts {
  /**
   * Number of list items and object fields, or up to twice as many. Too low if counting stopped
   * early.
   */
  values: number;
  /** Number of distinct field names. Hash collisions can make the count slightly too low. */
  names: number;
  /** Number of fields, added up over the objects that have more than `LARGE_OBJECT` fields. */
  inLargeObjects: number;
}

/** V8 stores objects with more fields than this as dictionaries, which are slow to read. */
export const LARGE_OBJECT = 1000;

const [QUOTE, BACKSLASH, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = Array.from('"\\,:[]{}', (mark) => mark.charCodeAt(0));
const MAX_DEPTH = 1000;
const TABLE = 1 << 17;

/**
 * Counts values and field names without parsing, because parsing very many is slow. Stops above
 * `most` values. The counts mean nothing if the text is not JSON.
 */
export function countJson(bytes: Uint8Array, most: number): JsonCounts {
  const counts: JsonCounts = { values: 0, names: 0, inLargeObjects: 0 };
  const fields = new Uint32Array(MAX_DEPTH);
  const seen = new Uint32Array(TABLE);
  let [depth, lastText] = [0, 0];
  for (let at = 0; at < bytes.length && counts.values <= most; at += 1) {
    switch (bytes[at]) {
      case QUOTE: {
        let hash = 2166136261;
        for (at += 1; at < bytes.length && bytes[at] !== QUOTE; at += 1) {
          if (bytes[at] === BACKSLASH) at += 1;
          hash = Math.imul(hash ^ bytes[at]!, 16777619);
        }
        lastText = hash >>> 0 || 1;
        break;
      }
      case COLON:
        if (depth < MAX_DEPTH) fields[depth]! += 1;
        if (remember(seen, lastText)) counts.names += 1;
        break;
      case COMMA:
        counts.values += 1;
        break;
      case OPEN:
      case OPEN_LIST:
        counts.values += 1;
        depth += 1;
        if (depth < MAX_DEPTH) fields[depth] = 0;
        break;
      case CLOSE:
      case CLOSE_LIST:
        if (depth < MAX_DEPTH && fields[depth]! > LARGE_OBJECT) counts.inLargeObjects += fields[depth]!;
        depth = Math.max(0, depth - 1);
        break;
    }
  }
  return counts;
}

/**
 * Returns whether the hash is new. A nearly full table reports every hash as known, but a body
 * reaches the limit on values first.
 */
function remember(seen: Uint32Array, hash: number): boolean {
  for (let place = hash & (TABLE - 1), tries = 0; tries < 64; place = (place + 1) & (TABLE - 1), tries += 1) {
    if (seen[place] === hash) return false;
    if (seen[place] === 0) {
      seen[place] = hash;
      return true;
    }
  }
  return false;
}

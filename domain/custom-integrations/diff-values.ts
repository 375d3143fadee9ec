/** A place within a value. Undefined is the place of the whole value. */
export type Place = { parent: Place; key: string | number } | undefined;

/**
 * A place where two values differ. `before` or `after` is undefined if the place does not exist in
 * that value.
 */
export interface Difference {
  place: Place;
  before: unknown;
  after: unknown;
}

/**
 * Maximum length in characters of JSON. A longer list is split into several differences, and so is
 * a longer value without a counterpart.
 */
const WHOLE_MAX_LENGTH = 2000;

/**
 * Returns every difference of two JSON values, in the order of their keys. In a difference, only a
 * text can be longer than WHOLE_MAX_LENGTH.
 */
export function diffValues(before: unknown, after: unknown): Difference[] {
  const found: Difference[] = [];

  const visit = (place: Place, a: unknown, b: unknown): Lengths => {
    if (isRecord(a) && isRecord(b)) return visitKeys(place, a, b);
    const first = found.length;
    if (Array.isArray(a) && Array.isArray(b)) return asWhole(first, { place, before: a, after: b }, visitItems(place, a, b));
    if (!isContainer(a) && !isContainer(b)) {
      if (a !== b) found.push({ place, before: a, after: b });
      return { before: lengthOf(a), after: lengthOf(b) };
    }
    const lengths = { before: visitParts(place, a, 'before'), after: visitParts(place, b, 'after') };
    return asWhole(first, { place, before: a, after: b }, lengths);
  };

  const visitKeys = (place: Place, a: JsonObject, b: JsonObject): Lengths => {
    const lengths = { before: 2, after: 2 };
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const inner = visit({ parent: place, key }, own(a, key), own(b, key));
      if (inner.before > 0) lengths.before += key.length + 4 + inner.before;
      if (inner.after > 0) lengths.after += key.length + 4 + inner.after;
    }
    return lengths;
  };

  const visitItems = (place: Place, a: readonly unknown[], b: readonly unknown[]): Lengths => {
    const lengths = { before: 2, after: 2 };
    for (let key = 0; key < Math.max(a.length, b.length); key += 1) {
      const inner = visit({ parent: place, key }, a[key], b[key]);
      lengths.before += inner.before + 1;
      lengths.after += inner.after + 1;
    }
    return lengths;
  };

  const visitParts = (place: Place, value: unknown, side: keyof Lengths): number => {
    const nothing = { before: undefined, after: undefined };
    if (Array.isArray(value) && value.length > 0)
      return visitItems(place, side === 'before' ? value : [], side === 'after' ? value : [])[side];
    if (isRecord(value) && Object.keys(value).length > 0)
      return visitKeys(place, side === 'before' ? value : {}, side === 'after' ? value : {})[side];
    if (value !== undefined) found.push({ place, ...nothing, [side]: value });
    return lengthOf(value);
  };

  const asWhole = (first: number, whole: Difference, lengths: Lengths): Lengths => {
    if (found.length > first && lengths.before <= WHOLE_MAX_LENGTH && lengths.after <= WHOLE_MAX_LENGTH) {
      found.length = first;
      found.push(whole);
    }
    return lengths;
  };

  visit(undefined, before, after);
  return found;
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Lengths in characters of JSON, without escapes. 0 if there is no value. */
interface Lengths {
  before: number;
  after: number;
}

function lengthOf(value: unknown): number {
  if (value === undefined) return 0;
  return typeof value === 'string' ? value.length + 2 : isContainer(value) ? 2 : String(value).length;
}

function own(value: JsonObject, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isRecord(value: unknown): value is JsonObject {
  return isContainer(value) && !Array.isArray(value);
}

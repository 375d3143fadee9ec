import { type BeyondJson, beyondJson } from './beyond-json.ts';
import { console } from './console.ts';
import { codedError } from './errors.ts';
import { isFiniteNumber, isRawJson, jsonParse, jsonStringify, RealPromise, toText } from './primordials.ts';

/**
 * The input of a call as JSON. Throws VALIDATION_ERROR for a value that JSON would lose, such as a
 * Map.
 */
export function inputToJson(value: unknown, what: string, failure: Error): string {
  const toError = (message: string) => codedError('VALIDATION_ERROR', message, failure);
  return toJson(value === undefined ? {} : value, what, toError, ({ is, instead }, key, _item, errorAt) => {
    throw errorAt(key, `is ${is}, which JSON loses; ${instead}`);
  });
}

/**
 * The return value of the code as JSON. A value that JSON would lose is replaced, because the run
 * has already had its effects. Throws CODE_OUTPUT_NOT_JSON for a value that cannot be JSON at all.
 */
export function outputToJson(value: unknown): string {
  let isLogged = false;
  const toError = (message: string) => codedError('CODE_OUTPUT_NOT_JSON', message);
  return toJson(value === undefined ? null : value, 'The output', toError, ({ is, shown }, key, item) => {
    const closest = shown && closestOf(shown, item);
    if (closest) return closest.value;
    const place = key === '' ? 'The output' : `"${key}" in the output`;
    if (!isLogged)
      console.warn(`${place} is ${is}, which JSON does not have: it is answered as ${typeof item === 'number' ? 'null' : '{}'}`);
    isLogged = true;
    return item;
  });
}

/**
 * Undefined if the item only inherits from a prototype such as `Map.prototype`, because the methods
 * then throw.
 */
function closestOf(shown: NonNullable<BeyondJson['shown']>, item: unknown): { value: unknown } | undefined {
  try {
    return { value: shown(item as never) };
  } catch {
    return undefined;
  }
}

type ErrorAt = (key: string, problem: string) => Error;

function toJson(
  value: unknown,
  what: string,
  toError: (message: string) => Error,
  lost: (beyond: BeyondJson, key: string, item: unknown, errorAt: ErrorAt) => unknown,
): string {
  let thrown: Error | undefined;
  const errorAt: ErrorAt = (key, problem) => {
    thrown = toError(`${what} is not JSON: ${key === '' ? 'it' : `"${key}"`} ${problem}`);
    return thrown;
  };
  const check = (key: string, item: unknown) => {
    if (typeof item === 'string') return item;
    if (typeof item === 'function') throw errorAt(key, 'is a function');
    if (typeof item === 'symbol') throw errorAt(key, 'is a symbol');
    if (typeof item === 'bigint') throw errorAt(key, 'is a BigInt; convert it with String(…) or Number(…)');
    if (item instanceof RealPromise) throw errorAt(key, 'is a Promise; put await before the call that made it');
    const beyond = beyondJson(item);
    if (beyond) return lost(beyond, key, item, errorAt);
    if (!isRawJson(item)) return item;
    // Raw JSON may contain more digits than a JavaScript number holds. They are kept.
    const meant = jsonParse(item.rawJSON);
    if (typeof meant !== 'number') return meant;
    if (!isFiniteNumber(meant)) throw errorAt(key, 'is a number beyond 1.8e308, which is too large to be read');
    return item;
  };
  try {
    return jsonStringify(value, check) ?? 'null';
  } catch (error) {
    throw error === thrown && thrown ? thrown : toError(`${what} is not JSON: ${problemIn(error)}`);
  }
}

function problemIn(error: unknown): string {
  const message = error !== null && typeof error === 'object' ? toText((error as Error).message) : toText(error);
  const [firstLine = ''] = message.split('\n', 1);
  if (firstLine.startsWith('Converting circular structure')) return 'it refers to itself';
  if (firstLine.startsWith('Maximum call stack')) return 'it is nested too deeply';
  return firstLine;
}

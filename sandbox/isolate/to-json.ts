import { type BeyondJson, beyondJson } from './beyond-json.ts';
import { console } from './console.ts';
import { codedError } from './errors.ts';
import { isFiniteNumber, isRawJson, jsonParse, jsonStringify, RealPromise, toText } from './primordials.ts';

/**
 * The input of a call as JSON; nothing counts as an empty object. Throws VALIDATION_ERROR, before
 * anything is sent, for a value that cannot be JSON or would lose something in it.
 */
export function inputToJson(value: unknown, what: string, failure: Error): string {
  const refusal = (message: string) => codedError('VALIDATION_ERROR', message, failure);
  return toJson(value === undefined ? {} : value, what, refusal, ({ is, instead }, key, _item, refuse) => {
    throw refuse(key, `is ${is}, which JSON loses; ${instead}`);
  });
}

/**
 * The return value of the code as JSON, undefined as null. The run has had its effects by then, so
 * a value that JSON would lose is replaced by the closest one, or dropped with a log line. Throws
 * CODE_OUTPUT_NOT_JSON for a value that cannot be JSON at all.
 */
export function outputToJson(value: unknown): string {
  let isSaid = false;
  const refusal = (message: string) => codedError('CODE_OUTPUT_NOT_JSON', message);
  return toJson(value === undefined ? null : value, 'The output', refusal, ({ is, shown }, key, item) => {
    const closest = shown && closestOf(shown, item);
    if (closest) return closest.value;
    const place = key === '' ? 'The output' : `"${key}" in the output`;
    if (!isSaid) console.warn(`${place} is ${is}, which JSON does not have: it is answered as ${typeof item === 'number' ? 'null' : '{}'}`);
    isSaid = true;
    return item;
  });
}

/** Undefined if an item only imitates its prototype: methods of Map accept only a real Map. */
function closestOf(shown: NonNullable<BeyondJson['shown']>, item: unknown): { value: unknown } | undefined {
  try {
    return { value: shown(item as never) };
  } catch {
    return undefined;
  }
}

type Refuse = (key: string, problem: string) => Error;

function toJson(
  value: unknown,
  what: string,
  refusal: (message: string) => Error,
  lost: (beyond: BeyondJson, key: string, item: unknown, refuse: Refuse) => unknown,
): string {
  let refused: Error | undefined;
  const refuse: Refuse = (key, problem) => {
    refused = refusal(`${what} is not JSON: ${key === '' ? 'it' : `"${key}"`} ${problem}`);
    return refused;
  };
  const check = (key: string, item: unknown) => {
    if (typeof item === 'string') return item;
    if (typeof item === 'function') throw refuse(key, 'is a function');
    if (typeof item === 'symbol') throw refuse(key, 'is a symbol');
    if (typeof item === 'bigint') throw refuse(key, 'is a BigInt; convert it with String(…) or Number(…)');
    if (item instanceof RealPromise) throw refuse(key, 'is a Promise; put await before the call that made it');
    const beyond = beyondJson(item);
    if (beyond) return lost(beyond, key, item, refuse);
    if (!isRawJson(item)) return item;
    // Raw JSON text may express numbers that no value can hold. Such a number keeps its digits.
    const meant = jsonParse(item.rawJSON);
    if (typeof meant !== 'number') return meant;
    if (!isFiniteNumber(meant)) throw refuse(key, 'is a number beyond 1.8e308, which is too large to be read');
    return item;
  };
  try {
    return jsonStringify(value, check) ?? 'null';
  } catch (error) {
    throw error === refused && refused ? refused : refusal(`${what} is not JSON: ${problemIn(error)}`);
  }
}

function problemIn(error: unknown): string {
  const message = error !== null && typeof error === 'object' ? toText((error as Error).message) : toText(error);
  const [firstLine = ''] = message.split('\n', 1);
  if (firstLine.startsWith('Converting circular structure')) return 'it refers to itself';
  if (firstLine.startsWith('Maximum call stack')) return 'it is nested too deeply';
  return firstLine;
}

import { codedError } from './errors.ts';
import { isFiniteNumber, isRawJson, jsonParse, jsonStringify, RealPromise, toText } from './primordials.ts';

/** JSON text of a value, undefined as null. Throws an error with `code` that says what in `what` cannot be JSON. */
export function toJson(value: unknown, what: string, code: string): string {
  const refuse = (key: string, problem: string) => codedError(code, `${what} is not JSON: ${key === '' ? 'it' : `"${key}"`} ${problem}`);
  const check = (key: string, item: unknown) => {
    if (typeof item === 'function') throw refuse(key, 'is a function');
    if (typeof item === 'symbol') throw refuse(key, 'is a symbol');
    if (typeof item === 'bigint') throw refuse(key, 'is a BigInt; convert it with String(…) or Number(…)');
    if (item instanceof RealPromise) throw refuse(key, 'is a Promise; put await before the call that made it');
    if (!isRawJson(item)) return item;
    // Text as it stands may say what no value says. A number keeps its digits.
    const meant = jsonParse(item.rawJSON);
    if (typeof meant !== 'number') return meant;
    if (!isFiniteNumber(meant)) throw refuse(key, 'is a number beyond 1.8e308, which is too large to be read');
    return item;
  };
  try {
    return jsonStringify(value === undefined ? null : value, check) ?? 'null';
  } catch (error) {
    if (error !== null && typeof error === 'object' && (error as { code?: unknown }).code === code) throw error;
    throw codedError(code, `${what} is not JSON: ${problemIn(error)}`);
  }
}

function problemIn(error: unknown): string {
  const message = error !== null && typeof error === 'object' ? toText((error as Error).message) : toText(error);
  const [firstLine = ''] = message.split('\n', 1);
  if (firstLine.startsWith('Converting circular structure')) return 'it refers to itself';
  if (firstLine.startsWith('Maximum call stack')) return 'it is nested too deeply';
  return firstLine;
}

import type { Issue } from '../../../domain/bound-error.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { type JsonBody, readBytesAsJson, readShortJson } from '../../middleware/read-json.ts';

/** The problem is a predicate, such as `is not valid JSON`. */
export type ReadJson = { ok: true; value: unknown } | { ok: false; problem: string };

/** The problem of a text that is not JSON. */
export const NOT_JSON = 'is not valid JSON';

/** Parses the JSON of a field that may be large, with the limits of request bodies. */
export async function readJsonText(text: string): Promise<ReadJson> {
  return readBytesAsJson(Buffer.from(text)).then(exact, refused);
}

/** Parses a JSON text of a few lines, synchronously. */
export function readShortJsonText(text: string): ReadJson {
  try {
    return exact(readShortJson(text));
  } catch (error) {
    return refused(error);
  }
}

function exact({ value, lostIntegers: [lost] }: JsonBody): ReadJson {
  return lost ? { ok: false, problem: wordsOf(lost) } : { ok: true, value };
}

function refused(error: unknown): ReadJson {
  if (!(error instanceof GatewayError)) throw error;
  const [first] = (error.details?.issues ?? []) as Issue[];
  return { ok: false, problem: first ? wordsOf(first) : NOT_JSON };
}

function wordsOf({ path, message }: Issue): string {
  return `${path} ${message}`.trim();
}

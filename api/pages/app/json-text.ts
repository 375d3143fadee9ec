import type { Issue } from '../../../domain/bound-error.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { type JsonBody, readBytesAsJson, readShortJson } from '../../middleware/read-json.ts';

/** The value of a JSON text, or its problem as a predicate for the label of the field. */
export type ReadJson = { ok: true; value: unknown } | { ok: false; problem: string };

/** The problem of a text that is no JSON at all. */
export const NOT_JSON = 'is not valid JSON';

/** Reads JSON of a field that may be as large as a body, within the limits of a body. */
export async function readJsonText(text: string): Promise<ReadJson> {
  return readBytesAsJson(Buffer.from(text)).then(exact, refused);
}

/** The same at once, for a text of few lines. */
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

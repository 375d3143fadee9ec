import type { ErrorReader, Said } from '../provider-error.ts';
import { isObject } from '../schema/evaluation.ts';
import { type Condition, holds } from './condition.ts';
import { textAt, valueAt } from './value-at.ts';

/**
 * How to read the error in the body of a failed answer. `message` and `code` are paths; the first
 * path to a text is used.
 */
export interface ErrorDocument {
  message?: string | readonly string[];
  code?: string | readonly string[];
  /** Codes without meaning for callers. */
  noCode?: readonly string[];
  /** Codes with which the third party refuses the credentials. */
  unauthorized?: readonly (string | number)[];
  when?: Condition;
  /** The path of further sentences: a list of texts or objects, or such values by field name. */
  details?: string;
  /** Explanations by code, for third parties that explain nothing. */
  explain?: Readonly<Record<string, string>>;
  /** Further sentences, by path. `{value}` in a sentence stands for the text at the path. */
  facts?: Readonly<Record<string, string>>;
  /** The message if no path leads to a text. */
  say?: string;
}

/** Builds an error reader, which uses the first description that fits the body. */
export function errorReader(documents: ErrorDocument | readonly ErrorDocument[]): ErrorReader {
  const all = [documents].flat() as ErrorDocument[];
  return (body) => {
    for (const document of all) {
      const said = readOne(document, body);
      if (said) return said;
    }
    return undefined;
  };
}

const MAX_DETAILS = 5;

function readOne(
  { when, message, code, unauthorized = [], noCode = [], details, explain = {}, facts = {}, say }: ErrorDocument,
  body: unknown,
): Said | undefined {
  if (when && !holds(when, body)) return undefined;
  const said = firstText(body, code);
  const foundCode = said !== undefined && noCode.includes(said) ? undefined : said;
  const main = firstText(body, message) ?? say;
  if (!when && main === undefined && foundCode === undefined) return undefined;
  const explained = foundCode !== undefined && Object.hasOwn(explain, foundCode) ? explain[foundCode] : undefined;
  const stated = Object.entries(facts).flatMap(([path, sentence]) => {
    const value = textAt(body, path);
    return value === undefined ? [] : [sentence.replaceAll('{value}', value)];
  });
  const more = details === undefined ? [] : sentencesIn(valueAt(body, details)).slice(0, MAX_DETAILS);
  return {
    message: [...new Set([main, explained, ...stated, ...more].filter(Boolean))].join('; '),
    code: foundCode,
    unauthorized: foundCode !== undefined && unauthorized.map(String).includes(foundCode),
  };
}

function firstText(body: unknown, paths: string | readonly string[] | undefined): string | undefined {
  for (const path of [paths ?? []].flat()) {
    const found = valueAt(body, path);
    const texts = (path.includes('*') ? [found].flat(10) : [found]).map((value) => textAt(value, '')).filter((text) => text !== undefined);
    if (texts.length > 0) return [...new Set(texts)].join(', ');
  }
  return undefined;
}

const MAX_DEPTH = 10;
const TEXT_KEYS = ['message', 'detail', 'description', 'reason', 'msg', 'title'];
const NAME_KEYS = ['field', 'code', 'path', 'name', 'pointer'];

function sentencesIn(node: unknown, field = '', depth = 0): string[] {
  const text = textAt(node, '');
  if (text !== undefined) return [field ? `${field}: ${text}` : text];
  if (depth > MAX_DEPTH || typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap((item) => sentencesIn(item, field, depth + 1));
  const said = TEXT_KEYS.map((key) => ownText(node, key)).find((one) => one !== undefined);
  const name = NAME_KEYS.map((key) => ownText(node, key)).filter((one) => one !== undefined);
  if (said !== undefined) return [[field, ownText(node, 'field'), said].filter(Boolean).join(': ')];
  if (name.length > 0) return [[field, name.join(' ')].filter(Boolean).join(': ')];
  return Object.entries(node).flatMap(([key, inner]) =>
    sentencesIn(inner, key.startsWith('_') ? field : [field, key].filter(Boolean).join('.'), depth + 1),
  );
}

function ownText(node: unknown, key: string): string | undefined {
  return isObject(node) && Object.hasOwn(node, key) ? textAt(node[key], '') : undefined;
}

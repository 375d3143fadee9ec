import type { MultipartField } from '../multipart-body.ts';
import type { Account, Fields, RequestShape } from '../provider-request.ts';
import { isObject } from '../schema/evaluation.ts';
import type { RequestDocument } from './document.ts';
import { fromBase64, isFile } from './file-input.ts';
import { namesIn, operatorOf, render, SPREAD, type Template } from './template.ts';

type Input = Readonly<Record<string, unknown>>;
const BODIES = ['json', 'form', 'multipart', 'bytes'] as const;
const PARTS = ['query', 'headers', ...BODIES] as const;

/** Converts the request of a document. `derived` computes further values from the input. */
export function toRequestShape(request: RequestDocument, derived: (input: Input) => Input = () => ({})): RequestShape {
  const used = usedInputs(request);
  const filled = (template: Template | undefined) => (input: Input, account: Account) => {
    const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !used.has(name)));
    if (template === true) return rest;
    return render(template, { input, account, rest, derived: derived(input) });
  };
  const fields = (template: Template) => (input: Input, account: Account) => toFields(filled(template)(input, account));
  const { method, path, query, headers, json, form, multipart, bytes } = request;
  return {
    ...(method && { method }),
    path: path.replaceAll(/\{(\+?)input\./g, '{$1'),
    ...(query !== undefined && { query: fields(query) }),
    ...(headers !== undefined && { headers: fields(headers) }),
    ...(json !== undefined && { json: (input: Input, account: Account) => filled(json)(input, account) ?? {} }),
    ...(form !== undefined && { form: fields(form) }),
    ...(multipart !== undefined && { multipart: (input: Input, account: Account) => toParts(filled(multipart)(input, account)) }),
    ...(bytes !== undefined && { bytes: (input: Input, account: Account) => toBytes(filled(bytes)(input, account)) }),
  };
}

/** The inputs that a request uses, and the inputs that paging adds. */
export function usedInputs(request: RequestDocument): ReadonlySet<string> {
  const inPath = [...request.path.matchAll(/\{\+?(?:input\.)?(\w+)\}/g)].map(([, name]) => name!);
  const named = PARTS.flatMap((part) => inputsOf(request[part]));
  return new Set([...inPath, ...named, 'limit', 'cursor']);
}

function inputsOf(template: Template): string[] {
  if (typeof template === 'string') return namesIn(template).flatMap((name) => (name.startsWith('input.') ? [name.split('.')[1]!] : []));
  if (Array.isArray(template)) return template.flatMap(inputsOf);
  if (!isObject(template)) return [];
  const isEach = operatorOf(template) === 'each';
  return Object.entries(template).flatMap(([key, inner]) => {
    if ((key === 'each' && isEach) || key === 'path') return inputsOf(`{${inner}}`);
    return key === SPREAD && inner === true ? [] : inputsOf(inner);
  });
}

/**
 * Nested values are named `a[b]`. A list repeats its name, but its objects are numbered, as in
 * `a[0][b]`.
 */
function toFields(value: unknown): Fields {
  const fields: Record<string, (string | number | boolean)[]> = {};
  const add = (name: string, inner: unknown): void => {
    if (Array.isArray(inner)) for (const [index, item] of inner.entries()) add(isObject(item) ? `${name}[${index}]` : name, item);
    else if (isObject(inner)) for (const [key, item] of Object.entries(inner)) add(`${name}[${key}]`, item);
    else if (inner !== null && inner !== undefined) fields[name] = [...(fields[name] ?? []), inner as string];
  };
  for (const [name, inner] of Object.entries(isObject(value) ? value : {})) add(name, inner);
  return fields;
}

function toParts(value: unknown): MultipartField[] {
  return Object.entries(isObject(value) ? value : {}).flatMap(([name, inner]): MultipartField[] =>
    [inner].flat().map((item): MultipartField => {
      if (!isFile(item)) return { name, value: typeof item === 'object' ? JSON.stringify(item) : String(item) };
      const { filename, contentType } = item;
      return { name, value: fromBase64(item.base64), ...(filename && { filename }), ...(contentType && { contentType }) };
    }),
  );
}

function toBytes(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  return isFile(value) ? fromBase64(value.base64) : Buffer.from(typeof value === 'string' ? value : JSON.stringify(value ?? ''));
}

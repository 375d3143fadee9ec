import { ActionError } from '../definition.ts';
import { essenceOf, isJsonType } from '../media-type.ts';
import { type MultipartField, multipartBody } from '../multipart-body.ts';
import type { RequestBody } from '../provider-request.ts';
import { isObject } from '../schema/evaluation.ts';
import { fromBase64, isFile } from './file-input.ts';
import type { OperationBody, PropertyEncoding } from './operation.ts';
import { toBracketPairs, toPairs } from './parameter-style.ts';

type Input = Readonly<Record<string, unknown>>;

/** Makes the body of an operation. Undefined if the body is optional and no input fills it. */
export function toBody(body: OperationBody, input: Input): RequestBody | undefined {
  const value = bodyValue(body, input);
  if (value === undefined) return undefined;
  const { contentType } = body;
  switch (body.kind) {
    case 'json':
      return { contentType, body: JSON.stringify(value) };
    case 'form':
      return { contentType, body: formOf(body, value) };
    case 'multipart':
      return multipartBody(partsOf(body, value));
    case 'text':
      return { contentType, body: typeof value === 'string' ? value : JSON.stringify(value) };
    case 'bytes':
      return bytesOf(contentType, value);
  }
}

function bodyValue({ input: whole, properties = [], others, required }: OperationBody, input: Input): unknown {
  if (whole !== undefined) return input[whole];
  const named = new Map(properties);
  const more = others ? Object.keys(input).filter((name) => !named.has(name)) : [];
  const taken = properties.find(([, property]) => more.includes(property));
  if (taken) throw new ActionError(`Send the property "${taken[1]}" as the input "${taken[0]}".`);
  const names = [...named.keys(), ...more];
  const entries = names.flatMap((name) => (input[name] === undefined ? [] : [[named.get(name) ?? name, input[name]] as const]));
  return entries.length > 0 || required ? Object.fromEntries(entries) : undefined;
}

/** By default, writes `a[b]=1&c[0]=2`. */
function formOf({ encoding = {} }: OperationBody, value: unknown): string {
  const pairs = entriesOf(value).flatMap(([name, inner]) => {
    const said = Object.hasOwn(encoding, name) ? encoding[name] : undefined;
    if (said?.style !== undefined || said?.explode !== undefined) {
      return toPairs({ name, style: said.style ?? 'form', explode: said.explode ?? (said.style ?? 'form') === 'form' }, inner);
    }
    if (said?.contentType !== undefined && typeof inner === 'object') {
      return toPairs({ name, style: 'form', explode: true, contentType: said.contentType }, inner);
    }
    return toBracketPairs(name, inner);
  });
  return pairs.map(([name, inner]) => `${name}=${inner}`).join('&');
}

function partsOf({ encoding = {} }: OperationBody, value: unknown): MultipartField[] {
  return entriesOf(value).flatMap(([name, inner]) => {
    const said = Object.hasOwn(encoding, name) ? encoding[name]! : {};
    if (Array.isArray(inner) && !(said.contentType && isJsonType(said.contentType))) return inner.map((item) => partOf(name, item, said));
    return [partOf(name, inner, said)];
  });
}

function partOf(name: string, value: unknown, { contentType }: PropertyEncoding): MultipartField {
  const type = concreteType(contentType);
  if (isFile(value)) {
    const given = value.contentType ?? type;
    return {
      name,
      value: fromBase64(value.base64),
      ...(value.filename && { filename: value.filename }),
      ...(given && { contentType: given }),
    };
  }
  if (typeof value !== 'object' && !(type && isJsonType(type))) return { name, value: String(value), ...(type && { contentType: type }) };
  return { name, value: JSON.stringify(value), contentType: type ?? 'application/json' };
}

function concreteType(contentType: string | undefined): string | undefined {
  const first = (contentType ?? '').split(',', 1)[0]!.trim();
  return first !== '' && !first.includes('*') ? first : undefined;
}

function bytesOf(contentType: string, value: unknown): RequestBody {
  if (!isFile(value)) throw new ActionError('The body must be a file: an object with base64.');
  const type = value.contentType ?? (essenceOf(contentType).includes('*') ? 'application/octet-stream' : contentType);
  return { contentType: type, body: fromBase64(value.base64) };
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value).filter(([, inner]) => inner !== undefined && inner !== null) : [];
}

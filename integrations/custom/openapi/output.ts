import { isJsonType, isTextType } from '../../media-type.ts';
import { isObject } from '../../schema/evaluation.ts';
import type { JsonSchema } from '../../schema/value-schema.ts';
import { mediaTypes, textsOf } from './media-types.ts';
import type { Operation } from './operations.ts';
import type { Reading } from './reading.ts';
import { followObject } from './references.ts';
import type { Schemas } from './schemas.ts';

interface Output {
  schema: JsonSchema;
  /** The header `Accept`. Undefined if the answer has no media type. */
  accept: string | undefined;
  isTyped: boolean;
}

const NOTHING: JsonSchema = { type: 'object', properties: { result: { type: 'null' } }, required: ['result'] };
const TEXT: JsonSchema = {
  type: 'object',
  properties: { text: { type: 'string' }, contentType: { type: 'string' } },
  required: ['text', 'contentType'],
};
const BYTES: JsonSchema = {
  type: 'object',
  properties: {
    base64: { type: 'string', description: 'Content in base64' },
    contentType: { type: 'string' },
    sizeBytes: { type: 'integer' },
  },
  required: ['base64', 'contentType', 'sizeBytes'],
};
const NEXT_LINK: JsonSchema = { type: 'string', description: 'Address of the next page, if the answer names one' };

/**
 * Returns the output of an operation: its answer with the lowest 2xx status, or its default answer.
 */
export function outputOf(reading: Reading, { content, method }: Operation): Output {
  const response = followObject(reading.document, responseOf(content.responses));
  const types = method === 'HEAD' ? [] : typesOf(reading, content, response);
  if (types.length === 0) return { schema: NOTHING, accept: undefined, isTyped: true };
  const accept = types
    .map(([type]) => type)
    .filter((type) => /^[\w!#$&^.+*-]{1,100}\/[\w!#$&^.+*-]{1,100}(;[\x20-\x7e]{0,100})?$/.test(type))
    .slice(0, 10)
    .join(', ');
  const [preferred] = mediaTypes(types.map(([one]) => one));
  const [type, schema] = types.find(([one]) => one === preferred)!;
  const isJson = isJsonType(type) || (type.includes('*') && !isBinary(reading.schemas, schema));
  if (isJson) return { schema: jsonOutput(reading.schemas, schema), accept, isTyped: schema !== undefined };
  return { schema: isTextType(type) ? TEXT : BYTES, accept, isTyped: true };
}

function responseOf(responses: unknown): unknown {
  if (!isObject(responses)) return {};
  const statuses = Object.keys(responses).filter((status) => /^2(\d\d|XX)$/i.test(status));
  const [lowest] = statuses.sort((a, b) => (a.toUpperCase() < b.toUpperCase() ? -1 : 1));
  return lowest === undefined ? responses.default : responses[lowest];
}

function typesOf({ document, dialect }: Reading, content: Record<string, unknown>, response: Record<string, unknown>): [string, unknown][] {
  if (!dialect.isSwagger) {
    return isObject(response.content)
      ? Object.entries(response.content).map(([type, media]) => [type, isObject(media) ? media.schema : undefined])
      : [];
  }
  if (response.schema === undefined) return [];
  const produces = textsOf(content.produces ?? document.produces);
  const isFile = isObject(response.schema) && response.schema.type === 'file';
  const types = produces.length > 0 ? produces : [isFile ? 'application/octet-stream' : 'application/json'];
  return types.map((type) => [type, response.schema]);
}

function isBinary(schemas: Schemas, schema: unknown): boolean {
  const { type, format } = schemas.resolve(schema);
  return type === 'file' || (type === 'string' && format === 'binary');
}

function jsonOutput(schemas: Schemas, schema: unknown): JsonSchema {
  const converted = schemas.convert(schema ?? {}, 'answer');
  const kind = kindOf(schemas, schema, 0);
  if (kind === 'object') return converted;
  if (kind === 'unknown') return Object.keys(converted).length === 0 ? {} : { anyOf: [converted, wrapped(converted)] };
  return wrapped(converted);
}

function wrapped(schema: JsonSchema): JsonSchema {
  return { type: 'object', properties: { result: schema, nextLink: NEXT_LINK }, required: ['result'] };
}

const MAX_DEPTH = 20;

/** An object is the output itself. Any other value is wrapped in an object. */
function kindOf(schemas: Schemas, schema: unknown, depth: number): 'object' | 'other' | 'unknown' {
  if (depth > MAX_DEPTH) return 'unknown';
  const resolved = schemas.resolve(schema);
  const types = [resolved.type ?? []].flat().filter((type) => type !== 'null');
  if (types.length > 0) return types.every((type) => type === 'object') ? 'object' : types.includes('object') ? 'unknown' : 'other';
  if (resolved.properties !== undefined || resolved.additionalProperties !== undefined) return 'object';
  if (resolved.items !== undefined) return 'other';
  const inner = (list: unknown) => (Array.isArray(list) ? list.slice(0, 50).map((item) => kindOf(schemas, item, depth + 1)) : []);
  const all = inner(resolved.allOf).find((kind) => kind !== 'unknown');
  if (all) return all;
  const [first, ...others] = [...inner(resolved.oneOf), ...inner(resolved.anyOf)];
  return first !== undefined && others.every((kind) => kind === first) ? first : 'unknown';
}

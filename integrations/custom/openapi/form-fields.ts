import type { OperationParameter, PropertyEncoding } from '../../declarative/operation.ts';
import { isJsonType, isTextType } from '../../media-type.ts';
import { isObject } from '../../schema/evaluation.ts';
import type { JsonSchema } from '../../schema/value-schema.ts';
import type { Schemas } from './schemas.ts';

/** The input schema of a file. */
export const FILE: JsonSchema = {
  type: 'object',
  properties: {
    base64: { type: 'string', description: 'Content of the file in base64' },
    filename: { type: 'string', description: 'Name of the file' },
    contentType: { type: 'string', description: 'Media type, such as image/png' },
  },
  required: ['base64'],
  additionalProperties: false,
};

/**
 * Returns the input schema of a form field for one file or a list of files. Undefined for other
 * fields.
 */
export function fileSchemaOf(schemas: Schemas, schema: unknown, encoding: unknown): JsonSchema | undefined {
  const resolved = schemas.resolve(schema);
  const about = typeof resolved.description === 'string' ? { description: resolved.description.slice(0, 2000) } : {};
  if (isFileSchema(resolved, encoding)) return { ...FILE, ...about };
  if (resolved.type === 'array' && isFileSchema(schemas.resolve(resolved.items), encoding)) return { type: 'array', items: FILE, ...about };
  return undefined;
}

function isFileSchema({ type, format, contentMediaType, contentEncoding, ...schema }: Record<string, unknown>, encoding: unknown): boolean {
  if (type === 'file' || (type === 'string' && format === 'binary')) return true;
  if (contentEncoding !== undefined || (type !== undefined && type !== 'string')) return false;
  if (typeof contentMediaType === 'string') return !isReadable(contentMediaType);
  const isOpen = type === undefined && !['properties', 'allOf', 'anyOf', 'oneOf', '$ref', 'items'].some((keyword) => keyword in schema);
  const said = isObject(encoding) && typeof encoding.contentType === 'string' ? encoding.contentType : undefined;
  return isOpen && said !== undefined && !isReadable(said);
}

function isReadable(contentType: string): boolean {
  return isJsonType(contentType) || isTextType(contentType);
}

const STYLES: readonly OperationParameter['style'][] = ['form', 'spaceDelimited', 'pipeDelimited', 'tabDelimited', 'deepObject'];

/** Returns the encodings of a form's fields, without malformed ones. */
export function encodingOf(encoding: unknown): Record<string, PropertyEncoding> | undefined {
  if (!isObject(encoding)) return undefined;
  const entries = Object.entries(encoding).flatMap(([name, said]): [string, PropertyEncoding][] => {
    if (!isObject(said)) return [];
    const style = STYLES.find((one) => one === said.style);
    const read = {
      ...(typeof said.contentType === 'string' && { contentType: said.contentType.slice(0, 200) }),
      ...(style && { style }),
      ...(typeof said.explode === 'boolean' && { explode: said.explode }),
    };
    return Object.keys(read).length > 0 ? [[name, read]] : [];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

import { essenceOf, isJsonType } from '../../media-type.ts';
import { FORM, type FoundBody, kindOf } from './body-kind.ts';
import { LeftOutError } from './left-out.ts';
import { mediaTypes } from './media-types.ts';
import type { Operation } from './operations.ts';
import { type BodyParameter, collectionStyle } from './parameters.ts';
import type { Reading } from './reading.ts';

/** Returns the body of an operation of Swagger 2: a parameter `body`, or the fields of a form. */
export function swaggerBody(reading: Reading, { content }: Operation, bodies: readonly BodyParameter[]): FoundBody | undefined {
  const consumes = mediaTypes(content.consumes ?? reading.document.consumes);
  const whole = bodies.find((one) => one.in === 'body');
  if (whole) return bodyOf(reading, whole, consumes);
  const fields = bodies.filter((one) => one.in === 'formData');
  return fields.length > 0 ? formOf(fields, consumes) : undefined;
}

function bodyOf({ schemas }: Reading, { content }: BodyParameter, consumes: readonly string[]): FoundBody {
  const contentType =
    consumes.find(isJsonType) ?? consumes.find((type) => !/[/+]xml$/.test(essenceOf(type))) ?? consumes[0] ?? 'application/json';
  const kind = kindOf(contentType, schemas.resolve(content.schema));
  if (!kind) throw new LeftOutError('unsupported_media_type', `A body of the type ${contentType.slice(0, 100)} is not supported.`);
  return {
    ...{ kind, contentType: contentType.includes('*') ? 'application/json' : contentType },
    ...{ required: content.required === true, schema: content.schema, description: content.description },
  };
}

function formOf(fields: readonly BodyParameter[], consumes: readonly string[]): FoundBody {
  const hasFile = fields.some(({ content }) => content.type === 'file');
  const isMultipart =
    hasFile ||
    (consumes.some((type) => essenceOf(type) === 'multipart/form-data') &&
      !consumes.some((type) => essenceOf(type).endsWith('urlencoded')));
  const properties = Object.fromEntries(fields.map(({ name, content: { required: _, ...schema } }) => [name, schema]));
  const required = fields.filter(({ content }) => content.required === true).map(({ name }) => name);
  const lists = fields.filter(({ content }) => content.type === 'array');
  const encoding = Object.fromEntries(lists.map(({ name, content }) => [name, collectionStyle(content.collectionFormat, 'query')]));
  return {
    kind: isMultipart ? 'multipart' : 'form',
    contentType: isMultipart ? 'multipart/form-data' : FORM,
    required: required.length > 0,
    schema: { type: 'object', properties, required },
    encoding: isMultipart ? {} : encoding,
  };
}

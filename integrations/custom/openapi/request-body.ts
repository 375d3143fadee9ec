import type { OperationBody } from '../../declarative/operation.ts';
import { essenceOf, isJsonType } from '../../media-type.ts';
import { isObject } from '../../schema/evaluation.ts';
import { FORM, type FoundBody, kindOf } from './body-kind.ts';
import { isOnSide } from './convert-schema.ts';
import { encodingOf, FILE, fileSchemaOf } from './form-fields.ts';
import { type Inputs, safeName } from './inputs.ts';
import { LeftOutError } from './left-out.ts';
import { mediaTypes } from './media-types.ts';
import type { Operation } from './operations.ts';
import type { BodyParameter } from './parameters.ts';
import { type PlainObject, plainObjectOf } from './plain-object.ts';
import type { Reading } from './reading.ts';
import { followObject } from './references.ts';
import { swaggerBody } from './swagger-body.ts';

interface ReadBody {
  body?: OperationBody;
  isTyped: boolean;
}

/** Reads the body of an operation, and adds its inputs to `inputs`. Throws LeftOutError. */
export function readBody(reading: Reading, operation: Operation, bodies: readonly BodyParameter[], inputs: Inputs): ReadBody {
  const found = reading.dialect.isSwagger ? swaggerBody(reading, operation, bodies) : bodyOf(reading, operation);
  if (!found) return { isTyped: true };
  const { kind, contentType, required, schema } = found;
  const isTyped = schema !== undefined || kind === 'text' || kind === 'bytes';
  const body = { kind, contentType, required };
  if (kind === 'text' || kind === 'bytes') {
    const input = inputs.add(BODY_NAMES, { schema: kind === 'text' ? { type: 'string' } : FILE, required, description: found.description });
    return { body: { ...body, input }, isTyped };
  }
  const encoding = kind === 'json' ? undefined : encodingOf(found.encoding);
  const plain = plainObjectOf(reading.schemas, schema);
  const names =
    plain &&
    [...plain.properties.keys()].filter((name) =>
      isOnSide(plain.properties.get(name), { side: 'request', resolve: (inner) => reading.schemas.resolve(inner) }),
    );
  if (
    !plain ||
    !names ||
    names.some((name) => inputs.has(safeName(name)) || name === '' || name.length > 256 || /[\u0000-\u001f]/.test(name))
  ) {
    const input = inputs.add(BODY_NAMES, {
      schema: reading.schemas.convert(schema ?? {}, 'request'),
      required,
      description: found.description,
    });
    return { body: { ...body, input, ...(encoding && { encoding }) }, isTyped };
  }
  const properties = names.map((name) => [inputs.add([name], propertyOf(reading, found, plain, name)), name] as const);
  // In a form, an undeclared name such as `transfer[amount]` could set a declared field.
  const isOpen = plain.isOpen && kind === 'json';
  if (isOpen) inputs.allowOthers();
  return { body: { ...body, properties, ...(isOpen && { others: true as const }), ...(encoding && { encoding }) }, isTyped };
}

const BODY_NAMES = ['body', 'request_body'];

function propertyOf({ schemas }: Reading, { kind, required, encoding }: FoundBody, plain: PlainObject, name: string) {
  const schema = plain.properties.get(name);
  const file = kind === 'json' ? undefined : fileSchemaOf(schemas, schema, isObject(encoding) ? encoding[name] : undefined);
  return { schema: file ?? schemas.convert(schema, 'request'), required: required && plain.required.has(name) };
}

function bodyOf({ document, schemas }: Reading, { content }: Operation): FoundBody | undefined {
  if (content.requestBody === undefined) return undefined;
  const body = followObject(document, content.requestBody);
  const media = isObject(body.content) ? body.content : {};
  const contentType = chooseType(mediaTypes(Object.keys(media)).filter((type) => isObject(media[type])));
  if (contentType === undefined) return undefined;
  const { schema, encoding } = media[contentType] as Record<string, unknown>;
  const kind = kindOf(contentType, schemas.resolve(schema));
  if (!kind) throw new LeftOutError('unsupported_media_type', `A body of the type ${contentType.slice(0, 100)} is not supported.`);
  return {
    ...{ kind, contentType: kind === 'json' && contentType.includes('*') ? 'application/json' : contentType },
    ...{ required: body.required === true, schema, description: body.description, encoding },
  };
}

function chooseType(types: readonly string[]): string | undefined {
  const find = (fits: (essence: string) => boolean) => types.find((type) => fits(essenceOf(type)));
  return (
    find(isJsonType) ??
    find((type) => type === FORM) ??
    find((type) => type === 'multipart/form-data') ??
    find((type) => !/[/+]xml$/.test(type)) ??
    types[0]
  );
}

import type { OperationParameter } from '../../declarative/operation.ts';
import { isObject } from '../../schema/evaluation.ts';
import { LeftOutError } from './left-out.ts';
import { mediaTypes } from './media-types.ts';
import type { Operation } from './operations.ts';
import type { Reading } from './reading.ts';
import { followObject } from './references.ts';

/** A parameter before its input gets a name. */
export interface FoundParameter extends Omit<OperationParameter, 'input'> {
  schema: unknown;
  isTyped: boolean;
  required: boolean;
  description: unknown;
}

/** A parameter of Swagger 2 that belongs to the body. */
export interface BodyParameter {
  name: string;
  in: 'body' | 'formData';
  content: Record<string, unknown>;
}

const PLACES = ['path', 'query', 'header', 'cookie'] as const;
const IGNORED_HEADERS = new Set([
  ...['accept', 'content-type', 'authorization', 'cookie', 'host', 'content-length'],
  ...[
    'connection',
    'keep-alive',
    'proxy-authenticate',
    'proxy-authorization',
    'proxy-connection',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
  ],
]);

/**
 * Returns the parameters of an operation, in the order path, query, header, cookie. `filled`: those
 * that the credentials fill, such as `query:api_key`. Throws LeftOutError.
 */
export function parametersOf(reading: Reading, { content, pathItem, path }: Operation, filled: ReadonlySet<string>) {
  const all = new Map<string, Record<string, unknown>>();
  for (const given of [pathItem.parameters, content.parameters].flatMap((list) => (Array.isArray(list) ? list : []))) {
    const parameter = followObject(reading.document, given);
    const { name, in: place } = parameter;
    if (typeof name !== 'string' || typeof place !== 'string')
      throw new LeftOutError('invalid_operation', 'A parameter has no name or no location.');
    all.set(`${place}:${name}`, parameter);
  }
  const found = [...all.values()];
  const parameters = PLACES.flatMap((place) => found.filter((one) => one.in === place)).flatMap((one) => {
    const name = one.name as string;
    const place = one.in as OperationParameter['in'];
    const isIgnored = place === 'header' && IGNORED_HEADERS.has(name.toLowerCase());
    if (isIgnored || filled.has(`${place}:${place === 'header' ? name.toLowerCase() : name}`)) return [];
    return [readParameter(reading, one, name, place)];
  });
  assertPath(path, parameters);
  const used = new Set(namesIn(path));
  const bodies = found.flatMap((one): BodyParameter[] =>
    reading.dialect.isSwagger && (one.in === 'body' || one.in === 'formData')
      ? [{ name: one.name as string, in: one.in, content: one }]
      : [],
  );
  return { parameters: parameters.filter((one) => one.in !== 'path' || used.has(one.name)), bodies };
}

function readParameter(
  { dialect }: Reading,
  given: Record<string, unknown>,
  name: string,
  place: OperationParameter['in'],
): FoundParameter {
  if (name === '' || name.length > 256 || /[\u0000-\u001f]/.test(name))
    throw new LeftOutError('invalid_operation', 'The name of a parameter is empty, too long or not text.');
  const about = { name, in: place, required: place === 'path' || given.required === true, description: given.description };
  if (dialect.isSwagger)
    return { ...about, ...collectionStyle(given.collectionFormat, place), schema: given, isTyped: given.type !== undefined };
  const content = isObject(given.content) ? given.content : {};
  const [contentType] = mediaTypes(Object.keys(content));
  const media = contentType === undefined ? undefined : content[contentType];
  const isPair = place === 'query' || place === 'cookie';
  const style = styleOf(given.style, place);
  const explode = typeof given.explode === 'boolean' ? given.explode : style === 'form';
  const schema = contentType === undefined ? given.schema : isObject(media) ? media.schema : undefined;
  return {
    ...about,
    ...{ style, explode, schema, isTyped: schema !== undefined },
    ...(isPair && given.allowReserved === true && { allowReserved: true }),
    ...(contentType !== undefined && { contentType }),
  };
}

const STYLES: Record<OperationParameter['in'], readonly OperationParameter['style'][]> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

function styleOf(style: unknown, place: OperationParameter['in']): OperationParameter['style'] {
  return STYLES[place].find((one) => one === style) ?? STYLES[place][0]!;
}

const COLLECTIONS: Record<string, OperationParameter['style']> = { ssv: 'spaceDelimited', tsv: 'tabDelimited', pipes: 'pipeDelimited' };

/** Returns the style of a list parameter of Swagger 2. */
export function collectionStyle(format: unknown, place: OperationParameter['in']): Pick<OperationParameter, 'style' | 'explode'> {
  const isPair = place === 'query' || place === 'cookie';
  if (format === 'multi' && isPair) return { style: 'form', explode: true };
  return { style: COLLECTIONS[String(format)] ?? (isPair ? 'form' : 'simple'), explode: false };
}

function assertPath(path: string, parameters: readonly FoundParameter[]): void {
  const declared = new Set(parameters.filter((one) => one.in === 'path').map(({ name }) => name));
  const missing = namesIn(path).find((name) => !declared.has(name));
  if (missing !== undefined) throw new LeftOutError('invalid_operation', `No parameter declares {${missing.slice(0, 100)}} of the path.`);
}

function namesIn(path: string): string[] {
  return [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name!);
}

import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiMediaTypeObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import type { Route } from '../route.ts';
import { describeErrors, sharedErrors } from './describe-errors.ts';
import { answerExample, bodyExample } from './examples.ts';
import { ANSWER_HEADERS, HEADERS, SERVICE_HEADERS } from './headers.ts';
import { INTRODUCTION, TAGS } from './introduction.ts';
import { namedSchema } from './named-schema.ts';
import { capitalized, operationId } from './operation-id.ts';
import { SERVICE_PATHS } from './service-paths.ts';

/** Returns the OpenAPI document for a table of routes and for the service's own paths. */
export function describeRoutes(routes: readonly Route[], baseUrl: string) {
  const paths: ZodOpenApiPathsObject = { ...SERVICE_PATHS };
  for (const definition of routes) paths[definition.path] = { ...paths[definition.path], [definition.method]: describe(definition) };
  return createDocument(
    {
      openapi: '3.1.0',
      info: { title: 'Integration Gateway', version: '1', description: INTRODUCTION },
      servers: [{ url: baseUrl }],
      security: [{ apiKey: [] }],
      tags: usedTags(routes).map((name) => ({ name, description: TAGS[name] ?? '' })),
      paths,
      components: {
        headers: HEADERS,
        responses: sharedErrors(routes),
        securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `svc_…`' } },
      },
    },
    { override: tidy(routes) },
  );
}

function usedTags(routes: readonly Route[]): string[] {
  return [...new Set([...routes.map(({ tag }) => tag), 'Service'])];
}

function describe(definition: Route): ZodOpenApiOperationObject {
  const { method, path, summary, description, tag, params, query, body, headers, access } = definition;
  return {
    operationId: operationId(method, path),
    summary,
    ...(description && { description }),
    tags: [tag],
    ...(access === 'public' && { security: [{}, { apiKey: [] }] }),
    ...((params || query || headers) && {
      requestParams: {
        ...(params && { path: params as z.ZodObject }),
        ...(query && { query: query as z.ZodObject }),
        ...(headers && { header: headers as z.ZodObject }),
      },
    }),
    ...(body && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: {
          'application/json': withExample(namedSchema(body, nameOf(definition, 'Body')), bodyExample(definition), definition.otherExamples),
        },
      },
    }),
    responses: { ...describeAnswers(definition), ...describeErrors(definition) },
  };
}

function describeAnswers(definition: Route): ZodOpenApiResponsesObject {
  const described = Object.entries(definition.answers).map(([status, schema], index) => [
    status,
    {
      description: WORDS[status] ?? 'Done',
      headers: status === '304' ? SERVICE_HEADERS : ANSWER_HEADERS,
      ...(!isNothing(schema) && {
        content: {
          'application/json': withExample(
            namedSchema(schema, nameOf(definition, `Answer${index || ''}`)),
            answerExample(definition, Number(status)),
          ),
        },
      }),
    },
  ]);
  return Object.fromEntries(described);
}

function nameOf({ method, path }: Route, what: string): string {
  return capitalized(operationId(method, path)) + what;
}

const WORDS: Record<string, string> = {
  201: 'Created',
  202: 'Held at a Human Gate',
  304: 'The `ETag` in `If-None-Match` is still current',
};

function isNothing(schema: z.ZodType): boolean {
  return schema._zod.def.type === 'undefined';
}

/** OpenAPI allows either one example or several named examples. */
function withExample(schema: z.ZodType, example: unknown, others?: Route['otherExamples']): ZodOpenApiMediaTypeObject {
  if (!others) return { schema, ...(example !== undefined && { example }) };
  const further = Object.entries(others).map(([summary, value], index) => [`other${index + 1}`, { summary, value }]);
  return { schema, examples: { usual: { summary: 'The usual case', value: example }, ...Object.fromEntries(further) } };
}

/** Corrects generated schemas, and removes keywords that do not help readers. */
function tidy(routes: readonly Route[]): ZodOpenApiOverride {
  const parameters = new Set<unknown>(routes.flatMap(({ query, headers }) => [...fieldsOf(query), ...fieldsOf(headers)]));
  return ({ jsonSchema, zodSchema, io }) => {
    if (isStringBool(zodSchema)) jsonSchema.type = 'boolean';
    // zod drops the default of a preprocessed value.
    if (io === 'input' && parameters.has(zodSchema) && zodSchema instanceof z.ZodDefault)
      jsonSchema.default = zodSchema.def.defaultValue as typeof jsonSchema.default;
    // Later versions may add fields, so responses allow additional ones.
    if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    if (io === 'input' && !parameters.has(zodSchema)) sayDefault(jsonSchema);
    if (jsonSchema.format) delete jsonSchema.pattern;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  };
}

function fieldsOf(schema: z.ZodType | undefined): z.ZodType[] {
  return schema ? Object.values((schema as z.ZodObject).shape) : [];
}

/**
 * Moves a default into the description, because generators treat body fields with a default as
 * required.
 */
function sayDefault(jsonSchema: { default?: unknown; description?: string }): void {
  if (jsonSchema.default === undefined) return;
  const words = `Default: ${JSON.stringify(jsonSchema.default)}`;
  jsonSchema.description = jsonSchema.description ? `${jsonSchema.description}. ${words}` : words;
  delete jsonSchema.default;
}

/** Whether a schema is text in the URL and a boolean in the document. */
function isStringBool({ _zod: { def } }: z.core.$ZodTypes): boolean {
  return def.type === 'pipe' && def.out._zod.def.type === 'boolean';
}

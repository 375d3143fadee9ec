import type { z } from 'zod';
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

/** The OpenAPI document of a table of routes, with what every process answers beside them. */
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
    { override: tidy },
  );
}

function usedTags(routes: readonly Route[]): string[] {
  return [...new Set([...routes.map(({ tag }) => tag), 'Service'])];
}

function describe(definition: Route): ZodOpenApiOperationObject {
  const { method, path, summary, description, tag, params, query, body, access } = definition;
  return {
    operationId: operationId(method, path),
    summary,
    ...(description && { description }),
    tags: [tag],
    ...(access === 'public' && { security: [{}, { apiKey: [] }] }),
    ...((params || query) && {
      requestParams: { ...(params && { path: params as z.ZodObject }), ...(query && { query: query as z.ZodObject }) },
    }),
    ...(body && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: { 'application/json': withExample(namedSchema(body, nameOf(definition, 'Body')), bodyExample(definition)) },
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
  304: 'Nothing changed since the answer with that `ETag`',
};

function isNothing(schema: z.ZodType): boolean {
  return schema._zod.def.type === 'undefined';
}

function withExample(schema: z.ZodType, example: unknown): ZodOpenApiMediaTypeObject {
  return { schema, ...(example !== undefined && { example }) };
}

/** What readers and generators have no use for: how a format is checked, and that an integer is a safe one. */
const tidy: ZodOpenApiOverride = ({ jsonSchema, zodSchema, io }) => {
  if (isStringBool(zodSchema)) jsonSchema.type = 'boolean';
  // Clients must not break on a field that a later version adds.
  if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.format) delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
};

/** A flag in a query is text on the wire, and true or false to whoever writes a client. */
function isStringBool({ _zod: { def } }: z.core.$ZodTypes): boolean {
  return def.type === 'pipe' && def.out._zod.def.type === 'boolean';
}

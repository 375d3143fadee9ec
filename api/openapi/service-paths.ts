import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { references, SERVICE_HEADERS } from './headers.ts';

const TAG = { tags: ['Service'], security: [] };

const json = (schema: z.ZodType, example?: unknown) => ({ 'application/json': { schema, ...(example !== undefined && { example }) } });

const healthy = z.object({ status: z.literal('healthy') });
const ready = z.object({ status: z.literal('ready') });

/** What every process answers without a key, beside the routes. */
export const SERVICE_PATHS: ZodOpenApiPathsObject = {
  '/health': {
    get: {
      ...TAG,
      operationId: 'getHealth',
      summary: 'Say that the process lives',
      responses: { 200: { description: 'It does', headers: SERVICE_HEADERS, content: json(healthy, { status: 'healthy' }) } },
    },
  },
  '/ready': {
    get: {
      ...TAG,
      operationId: 'getReady',
      summary: 'Say whether Postgres, Temporal and the migrations are there',
      responses: {
        200: { description: 'They are', headers: SERVICE_HEADERS, content: json(ready, { status: 'ready' }) },
        503: { $ref: '#/components/responses/Unavailable' },
      },
    },
  },
  '/openapi.json': {
    get: {
      ...TAG,
      operationId: 'getOpenapi',
      summary: 'Get this document',
      responses: {
        200: {
          description: 'OpenAPI 3.1',
          headers: references(['X-Request-Id', 'ETag']),
          content: json(z.record(z.string(), z.unknown())),
        },
        304: { description: 'Nothing changed since the answer with that `ETag`', headers: SERVICE_HEADERS },
      },
    },
  },
  '/docs': {
    get: {
      ...TAG,
      operationId: 'getDocs',
      summary: 'Read this document as a page, and try calls from it',
      responses: { 200: { description: 'A page', headers: SERVICE_HEADERS, content: { 'text/html': { schema: z.string() } } } },
    },
  },
};

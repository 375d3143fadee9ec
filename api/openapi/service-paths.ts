import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { references, SERVICE_HEADERS } from './headers.ts';

const TAG = { tags: ['Service'], security: [] };

const json = (schema: z.ZodType, example?: unknown) => ({ 'application/json': { schema, ...(example !== undefined && { example }) } });

const healthy = z.object({ status: z.literal('healthy') });
const publicKey = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  kid: z.string(),
  use: z.literal('sig'),
  alg: z.literal('EdDSA'),
});
const keySet = z.object({ keys: z.array(publicKey) });
const keySetExample = {
  keys: [
    {
      ...{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
      ...{ kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k', use: 'sig', alg: 'EdDSA' },
    },
  ],
};

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
  '/.well-known/jwks.json': {
    get: {
      ...TAG,
      operationId: 'getJwks',
      summary: 'Get the public keys that receipts are verified with',
      description: 'A JWK Set (RFC 7517). Keys that receipts were signed under before stay in it. May be kept for five minutes.',
      responses: {
        200: {
          description: 'The keys, the oldest first',
          headers: references(['X-Request-Id', 'ETag']),
          content: json(keySet, keySetExample),
        },
        304: { description: 'Nothing changed since the answer with that `ETag`', headers: SERVICE_HEADERS },
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

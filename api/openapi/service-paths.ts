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

const homeLinks = z.object({
  dashboard: z.url(),
  docs: z.url(),
  openapi: z.url(),
  approvals: z.url(),
  health: z.url(),
  ready: z.url(),
  jwks: z.url(),
  temporalUi: z.url().optional(),
});
const home = z.object({ name: z.literal('Integration Gateway'), links: homeLinks });
const homeExample = {
  name: 'Integration Gateway',
  links: {
    dashboard: 'https://gateway.example.com/app',
    docs: 'https://gateway.example.com/docs',
    openapi: 'https://gateway.example.com/openapi.json',
    approvals: 'https://gateway.example.com/api/v1/approvals',
    health: 'https://gateway.example.com/health',
    ready: 'https://gateway.example.com/ready',
    jwks: 'https://gateway.example.com/.well-known/jwks.json',
    temporalUi: 'https://temporal.example.com',
  },
};

const ready = z.object({ status: z.literal('ready') });

/** The paths of the service itself. */
export const SERVICE_PATHS: ZodOpenApiPathsObject = {
  '/': {
    get: {
      ...TAG,
      operationId: 'getHome',
      summary: 'Get links to the parts of this service',
      description: 'Redirects callers that prefer `text/html`, as browsers do, to the dashboard.',
      responses: {
        200: {
          description: 'The links',
          headers: SERVICE_HEADERS,
          content: json(home, homeExample),
        },
        303: { description: 'To the dashboard', headers: SERVICE_HEADERS },
      },
    },
  },
  '/health': {
    get: {
      ...TAG,
      operationId: 'getHealth',
      summary: 'Check that the process runs',
      responses: { 200: { description: 'The process runs', headers: SERVICE_HEADERS, content: json(healthy, { status: 'healthy' }) } },
    },
  },
  '/ready': {
    get: {
      ...TAG,
      operationId: 'getReady',
      summary: 'Check that Postgres and Temporal respond, and that all migrations are applied',
      responses: {
        200: { description: 'The service is ready', headers: SERVICE_HEADERS, content: json(ready, { status: 'ready' }) },
        503: { $ref: '#/components/responses/Unavailable' },
      },
    },
  },
  '/.well-known/jwks.json': {
    get: {
      ...TAG,
      operationId: 'getJwks',
      summary: 'Get the public keys that verify receipts',
      description:
        'A JWK Set (RFC 7517) with the current and former keys, without revoked keys. The answer can be cached for five minutes.',
      responses: {
        200: {
          description: 'The keys, oldest first',
          headers: references(['X-Request-Id', 'ETag']),
          content: json(keySet, keySetExample),
        },
        304: { description: 'The `ETag` in `If-None-Match` is still current', headers: SERVICE_HEADERS },
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
        304: { description: 'The `ETag` in `If-None-Match` is still current', headers: SERVICE_HEADERS },
      },
    },
  },
  '/docs': {
    get: {
      ...TAG,
      operationId: 'getDocs',
      summary: 'Read this document as a page and try calls',
      responses: { 200: { description: 'A page', headers: SERVICE_HEADERS, content: { 'text/html': { schema: z.string() } } } },
    },
  },
};

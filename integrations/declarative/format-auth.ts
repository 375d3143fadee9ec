import { CONNECTION_TYPES } from '../../domain/connection.ts';
import type { JsonSchema } from '../schema/value-schema.ts';
import { listOf, mapOf, record, ref, text, url } from './format-parts.ts';

/** The definitions of the format that describe how an account is connected and used. */
export const AUTH_DEFINITIONS: Record<string, JsonSchema> = {
  auth: record({
    key: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,62}$', 'x-expects': 'a key such as api-key' },
    type: { enum: CONNECTION_TYPES },
    displayName: text(100),
    'description?': text(2000),
    'props?': ref('schema'),
    'oauth2?': record({
      authorizationUrl: url,
      tokenUrl: url,
      scopes: listOf(text(500), 200),
      'scopesFromApp?': { type: 'boolean' },
      'scopeSeparator?': { type: 'string', minLength: 1, maxLength: 5 },
      'clientAuth?': { enum: ['body', 'basic'] },
      'pkce?': { type: 'boolean' },
      'parameters?': mapOf({ type: 'string', maxLength: 500 }),
      'refreshUrl?': url,
      'issuer?': url,
      'namesIssuer?': { type: 'boolean' },
      'resource?': text(2000),
      'account?': record({
        url,
        'prefix?': { type: 'string', maxLength: 100 },
        'match?': mapOf(text(500)),
        data: mapOf(text(500), { minProperties: 1 }),
      }),
    }),
    'authenticate?': ref('authenticate'),
    'baseUrl?': ref('baseUrl'),
  }),
  authenticate: {
    anyOf: [
      { enum: ['bearer', 'basic'] },
      record({ header: { type: 'string', pattern: '^[A-Za-z0-9-]{1,100}$' }, 'prefix?': { type: 'string', maxLength: 100 } }),
      record({ query: text(100) }),
      record({ basic: record({ username: { type: 'string' }, password: { type: 'string' } }) }),
      record({
        clientCredentials: record({ tokenUrl: url, 'scopes?': listOf(text(500), 200), 'clientAuth?': { enum: ['body', 'basic'] } }),
      }),
      record({ 'headers?': mapOf({ type: 'string' }), 'parameters?': mapOf({ type: 'string' }) }),
    ],
  },
};

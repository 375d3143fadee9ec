import { type ErrorCode, STATUS } from '../../domain/errors.ts';

const seconds = { type: 'integer', minimum: 1 } as const;
const count = { type: 'integer', minimum: 0 } as const;

/** The response headers in the API reference. */
export const HEADERS = {
  'X-Request-Id': {
    schema: { type: 'string' },
    description: 'Id of this request in the logs. Your own id, if you sent 8 to 100 characters of A-Z a-z 0-9 . _ -',
  },
  'X-RateLimit-Limit': { schema: count, description: 'Largest burst of requests of the organization' },
  'X-RateLimit-Remaining': { schema: count, description: 'Requests left now' },
  'X-RateLimit-Reset': { schema: count, description: 'When the full burst is available again, in Unix seconds' },
  'Retry-After': { schema: seconds, description: 'Seconds to wait before trying again' },
  'WWW-Authenticate': { schema: { type: 'string' }, description: 'How to authenticate: `Bearer`' },
  Allow: { schema: { type: 'string' }, description: 'The methods that the path supports' },
  ETag: { schema: { type: 'string' }, description: 'Send this value as `If-None-Match` to get 304 if nothing changed' },
} as const;

type HeaderName = keyof typeof HEADERS;

const RATE_LIMIT: HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

export const SERVICE_HEADERS = references(['X-Request-Id']);
export const ANSWER_HEADERS = references(['X-Request-Id', ...RATE_LIMIT]);

/**
 * The headers of an error answer. The rate limit headers are set only after the caller is
 * authenticated.
 */
export function errorHeaders([code]: readonly ErrorCode[]) {
  switch (STATUS[code!]) {
    case 401:
      return references(['X-Request-Id', 'WWW-Authenticate']);
    case 405:
      return references(['X-Request-Id', 'Allow']);
    case 429:
      return references(['X-Request-Id', ...RATE_LIMIT, 'Retry-After']);
    case 503:
      return references(['X-Request-Id', 'Retry-After']);
    default:
      return ANSWER_HEADERS;
  }
}

/** References to the components of these headers. */
export function references(names: HeaderName[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

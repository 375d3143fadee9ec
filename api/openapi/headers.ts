import { type ErrorCode, STATUS } from '../../domain/errors.ts';

const seconds = { type: 'integer', minimum: 1 } as const;
const count = { type: 'integer', minimum: 0 } as const;

/** Every header that an answer may carry, said once. */
export const HEADERS = {
  'X-Request-Id': {
    schema: { type: 'string' },
    description: 'Names this request in logs; yours, if you sent 8 to 100 of A-Z a-z 0-9 . _ -',
  },
  'X-RateLimit-Limit': { schema: count, description: 'Requests that the organization may make at once' },
  'X-RateLimit-Remaining': { schema: count, description: 'How many of them are left now' },
  'X-RateLimit-Reset': { schema: count, description: 'When all of them are there again, in Unix seconds' },
  'Retry-After': { schema: seconds, description: 'Seconds to wait before trying again' },
  'WWW-Authenticate': { schema: { type: 'string' }, description: 'How to authenticate: `Bearer`' },
  Allow: { schema: { type: 'string' }, description: 'The methods that the path has' },
  ETag: { schema: { type: 'string' }, description: 'Send it as `If-None-Match` to learn whether something changed' },
} as const;

type HeaderName = keyof typeof HEADERS;

const RATE_LIMIT: HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

export const SERVICE_HEADERS = references(['X-Request-Id']);
export const ANSWER_HEADERS = references(['X-Request-Id', ...RATE_LIMIT]);

/** The headers of an error answer; only a caller that was known is told of its rate limit. */
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

export function references(names: HeaderName[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

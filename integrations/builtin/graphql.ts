import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import type { OutboundResponse } from '../../domain/outbound.ts';
import { ActionError, action, integration } from '../definition.ts';
import { cutText } from './cut-text.ts';
import { graphqlCategory } from './graphql-category.ts';

const QUERY_MAX_LENGTH = 256 * 1024;
const QUOTED_MAX_LENGTH = 2000;

/** A server that follows the protocol says so by this type; only then is an answer of 4xx or 5xx its own, and not that of something on the way. */
const GRAPHQL_JSON = 'application/graphql-response+json';

const input = z.object({
  url: z.string().min(1).max(16_384).describe('a public https address'),
  query: z.string().min(1).max(QUERY_MAX_LENGTH).describe('a GraphQL document with one operation'),
  variables: z.record(z.string(), z.unknown()).optional(),
  headers: z
    .record(z.string().min(1).max(256), z.string().max(8192))
    .refine((headers) => Object.keys(headers).length <= 100, 'holds too many headers: at most 100')
    .optional(),
});
type Input = z.output<typeof input>;

export const graphql = integration({
  name: 'graphql',
  displayName: 'GraphQL',
  description: 'Send a query or a mutation to any public GraphQL address',
  logoUrl: null,
  categories: ['DEVELOPER_TOOLS'],
  auth: null,
  actions: {
    send_request: action({
      displayName: 'Send request',
      description:
        'Send a GraphQL operation by POST. Errors that GraphQL reports are part of the output, beside the data there is; an address that does not answer with GraphQL fails. At most 1 MB is read',
      category: 'write',
      categoryOf: ({ query }) => graphqlCategory(query),
      input,
      output: z.object({
        status: z.number(),
        data: z.unknown().describe('null where there is none'),
        errors: z.array(z.unknown()).describe('empty where all went well'),
        extensions: z.unknown().optional(),
      }),
      async run({ input, outbound, signal }) {
        const { url, query, variables } = input;
        const headers = Object.entries(input.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
        const answer = await outbound.request({
          url,
          method: 'POST',
          headers: {
            accept: `${GRAPHQL_JSON}, application/json;q=0.9`,
            ...Object.fromEntries(headers),
            'content-type': 'application/json',
          },
          body: JSON.stringify({ query, variables }),
          signal,
        });
        return readAnswer(input, answer);
      },
    }),
  },
});

function readAnswer(input: Input, answer: OutboundResponse) {
  const { status, headers, url } = answer;
  const isTrusted = (status >= 200 && status < 300) || (headers['content-type'] ?? '').toLowerCase().startsWith(GRAPHQL_JSON);
  const result = isTrusted ? parseResult(answer.body.toString()) : undefined;
  if (result) return { status, data: result.data ?? null, errors: result.errors ?? [], ...extensionsOf(result) };
  const { host } = new URL(url);
  const sentence = isTrusted
    ? `${host} did not answer with GraphQL: an object with data or errors.`
    : `${host} answered ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd();
  throw new ActionError(sentence, { status, body: cutText(withoutSecrets(answer.body.toString(), input), QUOTED_MAX_LENGTH) });
}

interface Result {
  data?: unknown;
  errors?: unknown[];
  extensions?: unknown;
}

function parseResult(text: string): Result | undefined {
  try {
    const result = JSON.parse(text) as Result | null;
    const isOne = typeof result === 'object' && result !== null && ('data' in result || Array.isArray(result.errors));
    return isOne && Array.isArray(result.errors ?? []) ? result : undefined;
  } catch {
    return undefined;
  }
}

function extensionsOf({ extensions }: Result) {
  return extensions === undefined ? {} : { extensions };
}

const SECRET_MIN_LENGTH = 4;

/** Services echo what they were sent: whatever a header or the query of the address held may be a secret. */
function withoutSecrets(text: string, { url, headers = {} }: Input): string {
  const sent = [...Object.values(headers), ...(URL.parse(url)?.searchParams.values() ?? [])];
  const secrets = sent
    .flatMap((value) => [value, value.split(' ').at(-1) as string])
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .filter((secret) => secret.length >= SECRET_MIN_LENGTH)
    .sort((a, b) => b.length - a.length);
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text);
}

import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import { cutText } from '../../domain/cut-text.ts';
import type { OutboundResponse } from '../../domain/outbound.ts';
import { hiderOf } from '../../domain/redaction/hide-secrets.ts';
import { ActionError, action, integration } from '../definition.ts';
import { categorizes, graphqlCategories } from './http/request-categories.ts';
import { requestHeaders } from './http/request-headers.ts';
import { secretsSent } from './http/secrets-sent.ts';
import { webUrl } from './http/web-url.ts';

const QUERY_MAX_LENGTH = 256 * 1024;
const QUOTED_MAX_LENGTH = 2000;

/** A 4xx or 5xx answer with this content type comes from the GraphQL server, not from a proxy. */
const GRAPHQL_JSON = 'application/graphql-response+json';

const input = z.object({
  url: webUrl,
  query: z.string().min(1).max(QUERY_MAX_LENGTH).describe('a GraphQL document with one operation'),
  variables: z.record(z.string(), z.unknown()).optional().describe('values of the variables of the query'),
  headers: requestHeaders.optional().describe('headers of the request'),
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
        'Send a GraphQL operation by POST. GraphQL errors are part of the output, beside the data. An answer that is not GraphQL is a failure. At most 1 MB is read',
      category: 'write',
      ...categorizes(graphqlCategories),
      input,
      output: z.object({
        status: z.number(),
        data: z.unknown().describe('null if the answer has no data'),
        errors: z.array(z.unknown()).describe('empty if there were no errors'),
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
          cutsFailures: true,
          signal,
        });
        return readAnswer(input, answer);
      },
    }),
  },
});

function readAnswer(input: Input, answer: OutboundResponse) {
  const { status, headers, url, isCut } = answer;
  const saysSo = (headers['content-type'] ?? '').toLowerCase().startsWith(GRAPHQL_JSON);
  const isTrusted = ((status >= 200 && status < 300) || saysSo) && !isCut;
  const result = isTrusted ? parseResult(answer.body.toString()) : undefined;
  if (result) return { status, data: result.data ?? null, errors: result.errors ?? [], ...extensionsOf(result) };
  const { host } = new URL(url);
  const sentence = isTrusted
    ? `${host} did not answer with a GraphQL response, which is an object with data or errors.`
    : `${host} answered ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd();
  const said = hiderOf(secretsSent(input.url, input.headers))(answer.body.toString(), QUOTED_MAX_LENGTH);
  throw new ActionError(sentence, { status, body: cutText(said, QUOTED_MAX_LENGTH) });
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

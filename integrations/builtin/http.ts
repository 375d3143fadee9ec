import { z } from 'zod';
import type { ActionCategory } from '../../domain/policy.ts';
import { action, integration } from '../definition.ts';
import { readHttpAnswer } from './http-answer.ts';
import { buildHttpRequest } from './http-request.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
const CATEGORIES: Partial<Record<string, ActionCategory>> = { GET: 'read', HEAD: 'read', DELETE: 'delete' };
const MAX_REDIRECTS = 5;

const text = z.string().max(8192);
const queryValue = z.union([text, z.number(), z.boolean()]);

/** What send_request takes. */
export const httpInput = z.object({
  method: z.enum(METHODS),
  url: z.string().min(1).max(16_384).describe('a public https address'),
  headers: z.record(z.string().min(1).max(256), text).refine(atMost(100), 'holds too many headers: at most 100').optional(),
  queryParams: z
    .record(z.string().max(1024), z.union([queryValue, z.array(queryValue).max(100)]))
    .refine(atMost(200), 'holds too many parameters: at most 200')
    .optional()
    .describe('added to the query of the URL; a list is repeated'),
  authType: z
    .enum(['NONE', 'BASIC', 'BEARER_TOKEN'])
    .default('NONE')
    .describe('BASIC needs authFields username and password, BEARER_TOKEN needs token'),
  authFields: z.strictObject({ username: text.optional(), password: text.optional(), token: text.optional() }).optional(),
  body_type: z
    .enum(['none', 'form_data', 'json', 'raw'])
    .optional()
    .describe(
      'form_data: body is an object of fields; json: any JSON value; raw: a string sent as it is. Default: none without a body, raw for a string, else json',
    ),
  body: z.unknown().optional(),
  response_is_binary: z.boolean().default(false).describe('answer the body as base64'),
  timeout: z.number().min(1).max(100).default(30).describe('seconds, for everything'),
  followRedirects: z
    .boolean()
    .default(false)
    .describe(`follow up to ${MAX_REDIRECTS} redirects; credentials are not sent to another origin`),
  failureMode: z
    .enum(['all', '5xx', 'none'])
    .default('all')
    .describe('which statuses make the action fail. all: 4xx and 5xx; 5xx: only those; none: every answer is an output'),
});

export const http = integration({
  name: 'http',
  displayName: 'HTTP',
  description: 'Send an HTTP request to any public address',
  logoUrl: null,
  categories: ['DEVELOPER_TOOLS'],
  auth: null,
  actions: {
    send_request: action({
      displayName: 'Send request',
      description: 'Send an HTTP request and answer its status, headers and body; a JSON body is parsed, at most 1 MB is read',
      category: 'write',
      categoryOf: ({ method }) => CATEGORIES[method] ?? 'write',
      input: httpInput,
      output: z.object({
        status: z.number(),
        headers: z.record(z.string(), z.string()).describe('names in lower case'),
        body: z.unknown().describe('parsed JSON, text, base64, or null where there is none'),
      }),
      async run({ input, outbound, signal }) {
        const request = await buildHttpRequest(input);
        const redirects = input.followRedirects ? MAX_REDIRECTS : 'none';
        const answer = await outbound.request({ ...request, redirects, timeoutMs: input.timeout * 1000, signal });
        return readHttpAnswer(input, answer);
      },
    }),
  },
});

function atMost(count: number) {
  return (record: object) => Object.keys(record).length <= count;
}

import { z } from 'zod';
import { action, integration } from '../definition.ts';
import { readHttpAnswer } from './http/http-answer.ts';
import { addressOf, bodyTypeOf, type HttpInput, httpInput, MAX_REDIRECTS } from './http/http-input.ts';
import { buildHttpRequest } from './http/http-request.ts';
import { categorizes, requestCategories } from './http/request-categories.ts';

export const http = integration({
  name: 'http',
  displayName: 'HTTP',
  description: 'Send an HTTP request to any public https address',
  logoUrl: null,
  categories: ['DEVELOPER_TOOLS'],
  auth: null,
  actions: {
    send_request: action({
      displayName: 'Send request',
      description:
        'Send an HTTP request to a public https address and answer its status, headers and body; a JSON body is parsed, at most 1 MB is read',
      category: 'write',
      ...categorizes(categoriesOf),
      input: httpInput,
      output: z.object({
        status: z.number(),
        headers: z.record(z.string(), z.string()).describe('names in lower case'),
        body: z.unknown().describe('parsed JSON of at most 64 levels, text, base64, or null if there is none'),
      }),
      async run({ input, outbound, signal }) {
        const request = await buildHttpRequest(input);
        const redirects = input.followRedirects ? MAX_REDIRECTS : 'none';
        const answer = await outbound.request({ ...request, redirects, cutsFailures: true, timeoutMs: input.timeout * 1000, signal });
        return readHttpAnswer(input, answer);
      },
    }),
  },
});

function categoriesOf(input: HttpInput) {
  const { method, headers } = input;
  const body = bodyTypeOf(input) === 'none' ? undefined : input.body;
  return requestCategories({ method, headers, body, url: URL.canParse(input.url) ? addressOf(input) : '' });
}

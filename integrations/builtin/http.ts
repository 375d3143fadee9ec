import { z } from 'zod';
import type { ActionCategory } from '../../domain/policy.ts';
import { action, integration } from '../definition.ts';
import { readHttpAnswer } from './http-answer.ts';
import { httpInput, MAX_REDIRECTS } from './http-input.ts';
import { buildHttpRequest } from './http-request.ts';

const CATEGORIES: Partial<Record<string, ActionCategory>> = { GET: 'read', HEAD: 'read', DELETE: 'delete' };

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
        const answer = await outbound.request({ ...request, redirects, cutsFailures: true, timeoutMs: input.timeout * 1000, signal });
        return readHttpAnswer(input, answer);
      },
    }),
  },
});

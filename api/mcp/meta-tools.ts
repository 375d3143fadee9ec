import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { CODE_RUN } from '../../domain/limits.ts';
import type { JsonSchema } from '../../integrations/catalog.ts';
import { executeCodeRequest } from '../v1/mcp/servers/execute-code/schema.ts';
import { toolPages } from './tool-pages.ts';

const names = z.array(z.string()).min(1).max(50);

/** The inputs of the tools of a CODE server (contract decisions 4). */
export const META_INPUTS = {
  svc_search: z.strictObject({
    query: z.string().max(500).optional().describe('the task, in a few words; absent: all'),
    alias: z.string().optional().describe('only actions of this alias'),
    limit: z.number().int().min(1).max(100).optional().describe('default 20'),
  }),
  svc_read_api: z.strictObject({
    alias: z.string().optional(),
    aliases: names.optional(),
    action: z.string().optional(),
    actions: names.optional(),
    detail: z.enum(['signatures', 'full']).optional().describe('full adds meanings, defaults and limits'),
  }),
  svc_execute: executeCodeRequest,
} as const;

export type MetaTool = keyof typeof META_INPUTS;

const TEXTS: Record<MetaTool, { title: string; description: string; annotations: Tool['annotations'] }> = {
  svc_search: {
    title: 'Search actions',
    description: `Find the actions that your code can call: alias, function, signature.
connected false: the user must connect an account. approval true: a call may wait for a person. hiddenKeys are preset; leave them out.`,
    annotations: { readOnlyHint: true },
  },
  svc_read_api: {
    title: 'Read API',
    description:
      'TypeScript declarations of actions, outputs included: read those you need before you write code. Name one alias or several.',
    annotations: { readOnlyHint: true },
  },
  svc_execute: {
    title: 'Run code',
    description: `Run JavaScript with top-level await; \`return\` what you need, else you get null. Call actions as \`await svc.<alias>.<action>(input)\`, hyphens as underscores; a failure throws an Error with code. Only svc reaches outside: no fetch, import, process or files. At most ${CODE_RUN.maxCalls} calls in 5 minutes.
Send code or approvalId, not both. Status approval_required or approval_pending: a person must decide. Give the user the link, then call with only approvalId, never the code again: the run continues where it stopped. waitForApprovalSeconds waits for the decision. approval_rejected, approval_expired, approval_canceled and failed are final; error says why. CONNECTION_REQUIRED: the user must open the connect link.`,
    annotations: { destructiveHint: true },
  },
};

/** The three tools of every CODE server. */
export const META_TOOLS = toolPages(
  (Object.keys(META_INPUTS) as MetaTool[]).map((name) => {
    const { $schema, ...inputSchema } = z.toJSONSchema(META_INPUTS[name], { io: 'input' }) as JsonSchema;
    return { name, ...TEXTS[name], inputSchema: { ...inputSchema, type: 'object' as const } };
  }),
);
